#include <algorithm>

#include "choose/nest_traffic.h"
#include "driver/explain_nests.h"
#include "graph/nodes.h"
#include "plan/time_band.h"
#include "support/match.h"
#include "tools/explain/band_tile.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {
namespace {

std::string_view OrderText(plan::NestOrder order) {
  switch (order) {
    case plan::NestOrder::Trees:
      return "trees";
    case plan::NestOrder::Lars:
      return "lars";
    case plan::NestOrder::LarsRows:
      return "lars by rows";
    case plan::NestOrder::LarsCoefficients:
      return "lars by coefficients";
    case plan::NestOrder::Program:
      break;
  }
  return "program";
}

std::vector<const graph::Operator*> OperatorsOf(const plan::Plan& plan,
                                                const plan::Kernel& kernel) {
  std::vector<const graph::Operator*> ops;
  for (const graph::NodeId node : kernel.ops) ops.push_back(&graph::OperatorOf(plan.graph, node));
  return ops;
}

/// What comes into each level of caches from below, a point.
Json CachesJson(const plan::Plan& plan, const plan::Kernel& kernel,
                const graph::ParameterValues& sizes, const machine::Cpu& cpu) {
  const choose::NestTraffic traffic =
      choose::FindTraffic(plan.graph, OperatorsOf(plan, kernel), *kernel.nest, sizes, cpu);
  Json caches = Json::array();
  for (std::size_t n = 0; n < cpu.caches.size(); ++n) {
    const machine::Cache& cache = cpu.caches[n];
    const bool last = n + 1 == cpu.caches.size();
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"share", cpu.Share(cache)},
                      {"from_below", last ? traffic.memory : traffic.out_of[n]}});
  }
  return caches;
}

/// For each iterator but the last: bytes that are used until an element is read again along it, and
/// the first cache of which half holds them.
Json LayersJson(const plan::Plan& plan, const plan::Kernel& kernel,
                const graph::ParameterValues& sizes, const machine::Cpu& cpu) {
  const auto ops = OperatorsOf(plan, kernel);
  const std::vector<double> bytes = choose::FindLayers(
      plan.graph, ops, choose::TilesAt(*kernel.nest, *ops.front(), sizes, cpu), sizes);
  Json layers = Json::array();
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    Json held;
    for (const machine::Cache& cache : cpu.caches) {
      if (!held.is_null() || !choose::HoldsLayer(bytes[n], cpu.Share(cache))) continue;
      held = cache.level;
    }
    layers.push_back(
        {{"iterator", plan.graph.iterators[static_cast<std::size_t>(ops.front()->iterators[n])]},
         {"bytes", bytes[n]},
         {"held_by_level", std::move(held)}});
  }
  return layers;
}

Json DimensionsJson(const plan::Plan& plan, const plan::Kernel& kernel,
                    const graph::ParameterValues& sizes, const machine::Cpu& cpu) {
  const auto& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const plan::LoopNest nest = choose::TilesAt(*kernel.nest, op, sizes, cpu);
  Json dimensions = Json::array();
  for (std::size_t n = 0; n < op.iterators.size(); ++n) {
    Json& dimension = dimensions.emplace_back(DimensionJson(plan.graph, op, n, sizes));
    dimension["points"] = nest.points[n];
    dimension["tile"] = nest.tile[n];
  }
  return dimensions;
}

/// Where the launch is along the n-th iterator of the band.
graph::Range PlacesAlong(const plan::Plan& plan, const plan::Repeat& repeat,
                         const plan::BandShape& shape, plan::KernelId kernel, std::size_t n,
                         const graph::ParameterValues& sizes) {
  const plan::BandPlaces& places = shape.places.at(kernel);
  if (places[n]) {
    const std::int64_t at = graph::Evaluate(*places[n], sizes);
    return {at, at};
  }
  const auto& lead =
      graph::OperatorOf(plan.graph, plan.kernels[plan::LeadOf(plan, *repeat.band)].ops.front());
  const auto& op = graph::OperatorOf(plan.graph, plan.kernels[kernel].ops.front());
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), lead.iterators[n]);
  return graph::Evaluate(op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())],
                         sizes);
}

/// Bytes of all arrays that the band's launches use, for a point of the first two iterators.
std::int64_t BytesOfColumn(const plan::Plan& plan, const plan::Repeat& repeat,
                           const plan::BandShape& shape, const graph::ParameterValues& sizes) {
  const plan::TimeBand& band = *repeat.band;
  std::vector<plan::BufferId> used;
  const auto use = [&](graph::VersionId version) {
    if (!version.Valid() || !plan.buffer_of[version.index].Valid()) return;
    for (int turn = 0; turn < band.period; ++turn) {
      const plan::BufferId buffer = plan::AfterTurns(repeat, plan.buffer_of[version.index], turn);
      if (std::find(used.begin(), used.end(), buffer) == used.end()) used.push_back(buffer);
    }
  };
  for (const plan::KernelId id : band.launches) {
    for (const graph::NodeId node : plan.kernels[id].ops) {
      const auto& op = graph::OperatorOf(plan.graph, node);
      for (const graph::ExprId access : graph::Accesses(plan.graph, op)) {
        use(std::get<graph::Access>(plan.graph.exprs[access].node).version);
      }
    }
    for (const graph::VersionId version : plan::StoredVersions(plan, plan.kernels[id])) {
      use(version);
    }
  }
  std::int64_t bytes = 0;
  for (const plan::BufferId buffer : used) bytes += ElementBytes(plan.buffers[buffer]);
  const plan::KernelId lead = plan::LeadOf(plan, band);
  const std::size_t rank =
      graph::OperatorOf(plan.graph, plan.kernels[lead].ops.front()).iterators.size();
  for (std::size_t n = 2; n < rank; ++n) {
    bytes *= PlacesAlong(plan, repeat, shape, lead, n, sizes).size();
  }
  return bytes;
}

Json SideJson(const plan::BandSide& side) {
  return {{"slope", side.slope}, {"rise", side.rise}, {"fall", side.fall}};
}

class StepsReporter {
 public:
  explicit StepsReporter(const Explained& explained)
      : explained_(explained), plan_(explained.chosen.plan) {}

  Json List(const std::vector<plan::Step>& steps) const {
    Json list = Json::array();
    for (const plan::Step& step : steps) {
      list.push_back(Match(
          step,
          [](const plan::Launch& launch) -> Json {
            return {{"kind", "launch"}, {"kernel", launch.kernel.index}};
          },
          [](const plan::AssignScalar& assign) -> Json {
            return {{"kind", "scalar"}, {"node", assign.op.index}};
          },
          [&](const plan::CopyOutside& copy) -> Json {
            return {{"kind", "copy outside"},
                    {"from", plan_.buffers[copy.src].name},
                    {"to", plan_.buffers[copy.dst].name},
                    {"node", copy.op.index}};
          },
          [&](const plan::CopyAll& copy) -> Json {
            return {{"kind", "copy"},
                    {"from", plan_.buffers[copy.src].name},
                    {"to", plan_.buffers[copy.dst].name}};
          },
          [&](const plan::Repeat& repeat) { return RepeatJson(repeat); }));
    }
    return list;
  }

 private:
  Json RepeatJson(const plan::Repeat& repeat) const {
    const auto names = graph::ParameterNames(plan_.graph);
    Json rotation = Json::array();
    for (const auto& [to, from] : repeat.rotation) {
      rotation.push_back({{"to", plan_.buffers[to].name}, {"from", plan_.buffers[from].name}});
    }
    const bool stops =
        repeat.loop.Valid() && graph::LoopOf(plan_.graph, repeat.loop).stop.has_value();
    Json report = {{"kind", "repeat"},
                   {"turns", graph::ToString(repeat.turns, names)},
                   {"count", graph::Evaluate(repeat.turns, explained_.chosen.sizes)},
                   {"stops_early", stops},
                   {"rotation", std::move(rotation)},
                   {"body", List(repeat.body)}};
    if (repeat.band && repeat.band->hexagon) report["hexagon"] = HexagonReport(plan_, repeat);
    if (explained_.options.target == Target::Cuda || repeat.body.empty()) return report;
    report["band"] = repeat.band ? BandReport(explained_, repeat) : Json();
    if (repeat.band) return report;
    const auto found = plan::FindTimeBand(plan_, repeat);
    const auto* reason = std::get_if<std::string>(&found);
    report["no_band"] = reason != nullptr ? *reason : "the options ask for single turns";
    return report;
  }

  const Explained& explained_;
  const plan::Plan& plan_;
};

}  // namespace

Json NestReport(const Explained& explained, plan::KernelId id) {
  const plan::Plan& plan = explained.chosen.plan;
  const plan::Kernel& kernel = plan.kernels[id];
  const plan::LoopNest& nest = *kernel.nest;
  const auto& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const choose::NestReport& choice = explained.chosen.nests[id.index];
  const auto& result = plan.graph.arrays[plan.graph.versions[op.result].array];
  Json report = {
      {"text", driver::NestText(plan, kernel)},
      {"reason", choice.reason},
      {"vectors", nest.vectors},
      {"lanes", explained.cpu.vector_bytes / SizeInBytes(result.type)},
      {"order", std::string(OrderText(nest.order))},
      {"threads", nest.threads > 0 ? nest.threads : explained.cpu.cores},
      {"cycles", choice.cycles},
      {"memory_cycles", choice.memory},
      {"plain_cycles", choice.plain > 0 ? Json(choice.plain) : Json()},
      {"stores_past_caches", nest.past_caches},
      {"dimensions", DimensionsJson(plan, kernel, explained.chosen.sizes, explained.cpu)}};
  const bool counted = choice.points > 0;
  const auto& sizes = explained.chosen.sizes;
  report["caches"] = counted ? CachesJson(plan, kernel, sizes, explained.cpu) : Json::array();
  report["layers"] = counted ? LayersJson(plan, kernel, sizes, explained.cpu) : Json::array();
  report["held"] = kernel.held ? Json{{"buffer", plan.buffers[kernel.held->buffer].name},
                                      {"below", kernel.held->below},
                                      {"above", kernel.held->above}}
                               : Json();
  return report;
}

Json StepsReport(const Explained& explained) {
  return StepsReporter(explained).List(explained.chosen.plan.steps);
}

Json BandReport(const Explained& explained, const plan::Repeat& repeat) {
  const plan::Plan& plan = explained.chosen.plan;
  const plan::TimeBand& band = *repeat.band;
  const auto& sizes = explained.chosen.sizes;
  const plan::KernelId lead = plan::LeadOf(plan, band);
  const auto& op = graph::OperatorOf(plan.graph, plan.kernels[lead].ops.front());
  const plan::BandShape shape = plan::ShapeOf(plan, repeat);
  Json dimensions = Json::array();
  std::vector<std::int64_t> places;
  for (std::size_t n = 0; n < std::min<std::size_t>(op.iterators.size(), 2); ++n) {
    graph::Range range = PlacesAlong(plan, repeat, shape, lead, n, sizes);
    for (const plan::KernelId id : band.launches) {
      const graph::Range other = PlacesAlong(plan, repeat, shape, id, n, sizes);
      range = {std::min(range.lo, other.lo), std::max(range.hi, other.hi)};
    }
    const auto& around = shape.around[n];
    if (around) range = {0, graph::Evaluate(*around, sizes) - 1};
    places.push_back(range.size());
    dimensions.push_back(
        {{"iterator", plan.graph.iterators[static_cast<std::size_t>(op.iterators[n])]},
         {"grid", RangeJson(range)},
         {"around", around.has_value()}});
  }
  BandExtent extent;
  extent.rows = places[0];
  extent.columns = places.size() > 1 ? places[1] : 1;
  extent.bytes = BytesOfColumn(plan, repeat, shape, sizes);
  extent.slope = band.outer.slope;
  extent.turns = graph::Evaluate(repeat.turns, sizes);
  extent.points = plan::PointsAlongFirst(plan, band);
  BandTile tile = PredictBandTile(extent, explained.cpu);
  if (band.turns > 0) {
    const std::int64_t width = band.outer.slope * band.turns;
    tile.tiles = graph::CeilDiv(std::max<std::int64_t>(1, extent.rows), width);
    tile.strip = 2 * width;
  }
  const bool tiled = tile.tiles > 0;
  Json launches = Json::array();
  for (const plan::KernelId id : band.launches) launches.push_back(id.index);
  return {{"launches", std::move(launches)},
          {"outer", SideJson(band.outer)},
          {"inner", places.size() > 1 ? SideJson(band.inner) : Json()},
          {"dimensions", std::move(dimensions)},
          {"period", band.period},
          {"turns_of_tile", band.turns > 0 ? Json(band.turns) : Json()},
          {"bytes_of_column", extent.bytes},
          {"tiles", tiled ? Json(tile.tiles) : Json()},
          {"width", tiled ? Json(graph::CeilDiv(extent.rows, tile.tiles)) : Json()},
          {"strip", tiled ? Json(tile.strip) : Json()}};
}

}  // namespace stencilgen::driver
