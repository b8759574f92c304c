#include "plan/print_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/nodes.h"
#include "support/count_text.h"

namespace stencilgen::plan {
namespace {

using graph::Graph;
using Kind = TileStep::Kind;

/// `0, 2 to 4`: the ages for which `held` is true.
template <typename Held>
std::string Ages(const TileVersion& version, Held held) {
  std::vector<std::string> ranges;
  for (std::size_t age = 0; age < version.planes.size();) {
    if (!held(version.planes[age])) {
      ++age;
      continue;
    }
    std::size_t last = age;
    while (last + 1 < version.planes.size() && held(version.planes[last + 1])) ++last;
    ranges.push_back(last == age ? fmt::format("{}", age) : fmt::format("{} to {}", age, last));
    age = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

std::string HaloText(const Halo& halo, std::size_t dimensions) {
  std::string text;
  for (std::size_t d = 0; d < dimensions; ++d) {
    text += fmt::format("[{}:{}]", -halo.lo[d], halo.hi[d]);
  }
  return text;
}

std::string VersionLine(const Graph& graph, const Tile& tile, const TileVersion& version) {
  std::string line = fmt::format("{} {}: halo {}",
                                 version.async    ? "copy"
                                 : version.loaded ? "load"
                                                  : "make",
                                 graph::VersionName(graph, version.version),
                                 HaloText(version.halo, tile.dimensions));
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    if (!version.wraps[d]) continue;
    const auto& op = graph::OperatorOf(graph, tile.ops.front().node);
    line += fmt::format(", around {}", graph.iterators[static_cast<std::size_t>(op.iterators[d])]);
  }
  if (tile.stream) line += fmt::format(", lag {}", version.lag);
  const std::string registers = Ages(version, [](const PlaneStorage& p) { return p.registers; });
  if (!registers.empty()) line += fmt::format(", registers {}", registers);
  if (version.rim >= 0) line += fmt::format(", rim {}", version.rim);
  if (version.slots == 0) return line;
  line += fmt::format(", shared {}", Ages(version, [](const PlaneStorage& p) { return p.shared; }));
  return line +
         fmt::format(" in {} of region {}", CountText(version.slots, "plane"), version.region);
}

/// `compute u.2, else u.1 (5 sums)`: what its points outside the domain take, and its sums.
std::string ComputeText(const Graph& graph, const TileOperator& tile_op) {
  const auto& op = std::get<graph::Operator>(graph.nodes[tile_op.node]);
  std::string text = fmt::format("compute {}", graph::VersionName(graph, op.result));
  if (tile_op.background) text += fmt::format(" else {}", graph::VersionName(graph, op.background));
  if (tile_op.scatter) text += fmt::format(" ({} sums)", tile_op.scatter->parts.size());
  return text;
}

const HandOver& HandOverOf(const Tile& tile, const TileStep& step) {
  return tile.pipeline->hand_overs[static_cast<std::size_t>(step.index)];
}
const TileVersion& HandedTo(const Tile& tile, const TileStep& step) {
  return tile.versions[static_cast<std::size_t>(HandOverOf(tile, step).version)];
}
const TileStore& HandedBy(const Tile& tile, const TileStep& step) {
  return tile.stores[static_cast<std::size_t>(HandOverOf(tile, step).store)];
}

std::string StepText(const Graph& graph, const Tile& tile, const TileStep& step) {
  const auto index = static_cast<std::size_t>(step.index);
  const auto name = [&](graph::VersionId version) { return graph::VersionName(graph, version); };
  switch (step.kind) {
    case Kind::Load:
      return fmt::format("{} {}",
                         tile.versions[index].async || tile.Ahead(step.index) > 0 ? "copy" : "load",
                         name(tile.versions[index].version));
    case Kind::LoadRim:
      return fmt::format("load rim of {}", name(tile.versions[index].version));
    case Kind::Arrive:
      return "await copies";
    case Kind::Publish:
      return fmt::format("publish {}", name(tile.versions[index].version));
    case Kind::Compute:
      return ComputeText(graph, tile.ops[index]);
    case Kind::Store:
      return fmt::format("store {}{}", name(tile.stores[index].version),
                         tile.stores[index].whole ? " (whole)" : "");
    case Kind::TakeOver:
      return fmt::format("take over {}", name(HandedTo(tile, step).version));
    case Kind::HandOver:
      return fmt::format("hand over {}", name(HandedBy(tile, step).version));
    case Kind::Barrier:
      break;
  }
  return "barrier";
}

}  // namespace

std::vector<std::string> TileLines(const Graph& graph, const Tile& tile) {
  std::vector<std::string> lines;
  std::vector<std::string> sizes;
  const auto& op = std::get<graph::Operator>(graph.nodes[tile.ops.front().node]);
  for (std::size_t d = 0; d < tile.dimensions; ++d) {
    const std::string& name = graph.iterators[static_cast<std::size_t>(op.iterators[d])];
    if (tile.stream == d) continue;
    sizes.push_back(
        fmt::format("{} of {} {}", tile.Stored(d), tile.threads[d] * tile.points[d], name));
  }
  lines.push_back(fmt::format(
      "tile {}, halo {}{}{}{}", fmt::join(sizes, ", "), HaloText(tile.halo, tile.dimensions),
      tile.spared == Halo{}
          ? std::string()
          : fmt::format(", at ends of arrays {} more", HaloText(tile.spared, tile.dimensions)),
      tile.shuffle ? ", rows by shuffles" : "",
      tile.alignment > 1 ? fmt::format(", aligned to {}", tile.alignment) : std::string()));
  for (const TileVersion& version : tile.versions) {
    lines.push_back(VersionLine(graph, tile, version));
  }
  for (std::size_t r = 0; r < tile.rims.size(); ++r) {
    lines.push_back(
        fmt::format("rim {}: {}{}, {} elements", r, HaloText(tile.rims[r].halo, tile.dimensions),
                    tile.rims[r].corners ? " with corners" : "", RimElements(tile, tile.rims[r])));
  }
  for (std::size_t r = 0; r < tile.regions.size(); ++r) {
    const SharedRegion& region = tile.regions[r];
    lines.push_back(fmt::format("region {}: {} of {} {}s at byte {}", r, region.slots,
                                region.plane_elements, ToString(region.type), region.byte_offset));
  }
  if (tile.pipeline) {
    lines.push_back(fmt::format("pipeline of {} stages, each {} planes behind the one before",
                                tile.pipeline->stages, tile.pipeline->shift));
  }
  if (tile.shared_bytes > 0)
    lines.push_back(fmt::format("shared memory {} bytes", tile.shared_bytes));
  const auto list = [&](const char* title, const std::vector<TileStep>& steps) {
    std::vector<std::string> texts;
    for (const TileStep& step : steps) texts.push_back(StepText(graph, tile, step));
    lines.push_back(fmt::format("{}: {}", title, fmt::join(texts, "; ")));
  };
  list("step", tile.steps);
  if (tile.free_steps != tile.steps) list("step beyond walls", tile.free_steps);
  return lines;
}

}  // namespace stencilgen::plan
