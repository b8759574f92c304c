#include <array>
#include <set>

#include "graph/nodes.h"
#include "graph/print.h"
#include "plan/barriers.h"
#include "plan/tile_blocks.h"
#include "tools/explain/report_parts.h"

namespace stencilgen::driver {
namespace {

using plan::Tile;
using plan::TileStep;
using plan::TileVersion;
using Kind = TileStep::Kind;

std::string_view KindText(Kind kind) {
  switch (kind) {
    case Kind::Load:
      return "load";
    case Kind::LoadRim:
      return "load rim";
    case Kind::Arrive:
      return "arrive";
    case Kind::Publish:
      return "publish";
    case Kind::Compute:
      return "compute";
    case Kind::Store:
      return "store";
    case Kind::TakeOver:
      return "take over";
    case Kind::HandOver:
      return "hand over";
    case Kind::Barrier:
      break;
  }
  return "barrier";
}

std::string_view PathText(plan::ReadPath path) {
  switch (path) {
    case plan::ReadPath::Register:
      return "register";
    case plan::ReadPath::Shuffle:
      return "shuffle";
    case plan::ReadPath::Shared:
      return "shared memory";
    case plan::ReadPath::Memory:
      break;
  }
  return "memory";
}

class TileReporter {
 public:
  TileReporter(const plan::Plan& plan, const Tile& tile, const graph::ParameterValues& sizes)
      : graph_(plan.graph), tile_(tile), sizes_(sizes), names_(graph::VersionNames(plan.graph)) {}

  Json Run() const {
    Json report = {{"dimensions", Dimensions()},
                   {"stream", tile_.stream ? Json(*tile_.stream) : Json()},
                   {"chunk", tile_.chunk},
                   {"steps_before", tile_.stream ? tile_.StepsBefore() : 0},
                   {"steps_after", tile_.stream ? tile_.StepsAfter() : 0},
                   {"threads", tile_.Threads()},
                   {"stages", tile_.Stages()},
                   {"points", tile_.Points()},
                   {"alignment", tile_.alignment},
                   {"shuffle", tile_.shuffle},
                   {"shared_bytes", tile_.shared_bytes},
                   {"barriers", plan::CountBarriers(tile_)}};
    report["versions"] = Versions();
    report["operators"] = Operators();
    report["stores"] = Stores();
    report["rims"] = Rims();
    report["regions"] = Regions();
    report["steps"] = Steps(tile_.steps);
    report["free_steps"] = Steps(tile_.free_steps);
    return report;
  }

 private:
  Json HaloJson(const plan::Halo& halo) const {
    Json sides = Json::array();
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      sides.push_back(Json::array({halo.lo[d], halo.hi[d]}));
    }
    return sides;
  }

  std::int64_t BlocksAlong(const plan::TileBlocks& blocks, std::size_t d,
                           std::int64_t stored) const {
    if (blocks.blocks() == 0 || stored < 1) return 0;
    return tile_.stream == d ? graph::CeilDiv(blocks.Grid(d).size(), stored) : blocks.Tiles(d);
  }
  Json Dimensions() const {
    const plan::TileBlocks blocks(graph_, tile_, sizes_);
    const auto& op = graph::OperatorOf(graph_, tile_.ops.front().node);
    Json dimensions = Json::array();
    for (std::size_t d = 0; d < tile_.dimensions; ++d) {
      const bool stream = tile_.stream == d;
      const graph::Range grid = blocks.blocks() > 0 ? blocks.Grid(d) : graph::Range{};
      const std::int64_t stored = !stream            ? tile_.Stored(d)
                                  : tile_.chunk == 0 ? grid.size()
                                                     : tile_.chunk;
      dimensions.push_back(
          {{"iterator", graph_.iterators[static_cast<std::size_t>(op.iterators[d])]},
           {"threads", tile_.threads[d]},
           {"points", tile_.points[d]},
           {"computed", stream ? 1 : tile_.Extent(d)},
           {"stored", stored},
           {"halo", Json::array({tile_.halo.lo[d], tile_.halo.hi[d]})},
           {"grid", RangeJson(grid)},
           {"spared", Json::array({tile_.spared.lo[d], tile_.spared.hi[d]})},
           {"blocks", BlocksAlong(blocks, d, stored)}});
    }
    return dimensions;
  }

  Json Versions() const {
    Json versions = Json::array();
    for (const TileVersion& version : tile_.versions) {
      Json planes = Json::array();
      for (const plan::PlaneStorage& plane : version.planes) {
        planes.push_back({{"registers", plane.registers}, {"shared", plane.shared}});
      }
      Json wraps = Json::array();
      for (std::size_t d = 0; d < tile_.dimensions; ++d) wraps.push_back(version.wraps[d]);
      const graph::Array& array = graph_.arrays[graph_.versions[version.version].array];
      versions.push_back({{"version", version.version.index},
                          {"name", names_[version.version.index]},
                          {"type", std::string(ElementName(array))},
                          {"element_bytes", ElementBytes(array)},
                          {"loaded", version.loaded},
                          {"async", version.async},
                          {"halo", HaloJson(version.halo)},
                          {"lag", version.lag},
                          {"planes", std::move(planes)},
                          {"rim", version.rim >= 0 ? Json(version.rim) : Json()},
                          {"slots", version.slots},
                          {"region", version.region >= 0 ? Json(version.region) : Json()},
                          {"wraps", std::move(wraps)}});
    }
    return versions;
  }

  Json Operators() const {
    Json operators = Json::array();
    for (std::size_t k = 0; k < tile_.ops.size(); ++k) {
      const plan::TileOperator& tile_op = tile_.ops[k];
      const auto& op = graph::OperatorOf(graph_, tile_op.node);
      operators.push_back({{"node", tile_op.node.index},
                           {"version", tile_.Find(op.result)},
                           {"background", tile_op.background},
                           {"sums", tile_op.scatter ? Json(tile_op.scatter->parts.size()) : Json()},
                           {"first_plane", tile_op.scatter ? Json(tile_op.scatter->first) : Json()},
                           {"reads", Reads(static_cast<int>(k))}});
    }
    return operators;
  }

  /// Each element that the operator reads in the tile, and how the thread's first point gets it.
  Json Reads(int op) const {
    const std::array<int, 3> first = {0, 0, 0};
    std::set<std::string> seen;
    Json reads = Json::array();
    for (const plan::TileRead& read : plan::FindReads(graph_, tile_, op)) {
      Json offset = Json::array();
      for (std::size_t d = 0; d < tile_.dimensions; ++d) offset.push_back(read.offset[d]);
      Json one = {{"version", read.version},
                  {"age", read.age},
                  {"offset", std::move(offset)},
                  {"path", std::string(PathText(plan::PathOf(tile_, read, first)))}};
      if (seen.insert(one.dump()).second) reads.push_back(std::move(one));
    }
    return reads;
  }

  Json Stores() const {
    Json stores = Json::array();
    for (const plan::TileStore& store : tile_.stores) {
      stores.push_back({{"version", tile_.Find(store.version)}, {"whole", store.whole}});
    }
    return stores;
  }

  Json Rims() const {
    Json rims = Json::array();
    for (const plan::Rim& rim : tile_.rims) {
      rims.push_back({{"halo", HaloJson(rim.halo)},
                      {"corners", rim.corners},
                      {"elements", plan::RimElements(tile_, rim)}});
    }
    return rims;
  }

  Json Regions() const {
    Json regions = Json::array();
    for (const plan::SharedRegion& region : tile_.regions) {
      regions.push_back({{"type", std::string(ToString(region.type))},
                         {"slots", region.slots},
                         {"plane_elements", region.plane_elements},
                         {"byte_offset", region.byte_offset}});
    }
    return regions;
  }

  /// The place in `versions` that a step is about; null for none.
  Json VersionOf(const TileStep& step) const {
    const auto index = static_cast<std::size_t>(step.index);
    switch (step.kind) {
      case Kind::Compute:
        return tile_.Find(graph::OperatorOf(graph_, tile_.ops[index].node).result);
      case Kind::Store:
        return tile_.Find(tile_.stores[index].version);
      case Kind::Load:
      case Kind::LoadRim:
      case Kind::Publish:
        return step.index;
      case Kind::TakeOver:
        return tile_.pipeline->hand_overs[index].version;
      case Kind::HandOver: {
        const int store = tile_.pipeline->hand_overs[index].store;
        return tile_.Find(tile_.stores[static_cast<std::size_t>(store)].version);
      }
      case Kind::Arrive:
      case Kind::Barrier:
        break;
    }
    return nullptr;
  }

  Json Steps(const std::vector<TileStep>& steps) const {
    Json list = Json::array();
    for (const TileStep& step : steps) {
      list.push_back({{"kind", std::string(KindText(step.kind))},
                      {"version", VersionOf(step)},
                      {"operator", step.kind == Kind::Compute ? Json(step.index) : Json()}});
    }
    return list;
  }

  const graph::Graph& graph_;
  const Tile& tile_;
  const graph::ParameterValues& sizes_;
  const std::vector<std::string> names_;
};

}  // namespace

Json TileReport(const plan::Plan& plan, const plan::Tile& tile,
                const graph::ParameterValues& sizes) {
  return TileReporter(plan, tile, sizes).Run();
}

Json PointsReport(const plan::Plan& plan, const plan::Kernel& kernel,
                  const graph::ParameterValues& sizes) {
  const auto& op = graph::OperatorOf(plan.graph, kernel.ops.front());
  const std::size_t count = op.iterators.size();
  const auto& stream = kernel.schedule.stream;
  Json along;
  Json dimensions = Json::array();
  for (std::size_t d = 0; d < count; ++d) {
    const std::size_t axis = count - 1 - d;
    const bool walked = stream && op.iterators[d] == stream->iterator;
    if (walked) along = d;
    const int threads = walked ? 1 : kernel.schedule.block[axis];
    const int points = walked ? 1 : kernel.schedule.unroll[axis];
    const graph::Range range = graph::Evaluate(op.domain.intervals[d], sizes);
    const std::int64_t stored = !walked              ? std::int64_t{threads} * points
                                : stream->chunk == 0 ? range.size()
                                                     : stream->chunk;
    dimensions.push_back(
        {{"iterator", plan.graph.iterators[static_cast<std::size_t>(op.iterators[d])]},
         {"threads", threads},
         {"points", points},
         // Along x a thread's points are a row of threads apart, else they are neighbours.
         {"apart", axis == 0 && points > 1 ? threads : 1},
         {"stored", stored},
         {"grid", RangeJson(range)},
         {"blocks", stored > 0 ? graph::CeilDiv(range.size(), stored) : 0}});
  }
  const std::vector<std::string> names = graph::VersionNames(plan.graph);
  Json windows = Json::array();
  for (const plan::Window& window : kernel.windows) {
    Json base = Json::array();
    for (const graph::Index& index : window.base) base.push_back(index.offset.constant);
    windows.push_back({{"version", window.version.index},
                       {"name", names[window.version.index]},
                       {"base", std::move(base)},
                       {"first", window.first},
                       {"last", window.last}});
  }
  return {{"dimensions", std::move(dimensions)},
          {"stream", std::move(along)},
          {"chunk", stream ? stream->chunk : 0},
          {"windows", std::move(windows)}};
}

}  // namespace stencilgen::driver
