#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "distribute/find_grid.h"
#include "distribute/scales.h"
#include "stencilgen/ranks.hpp"

namespace stencilgen::distribute {

using namespace graph;

int Grid::DimensionOf(ArrayId array, int axis) const {
  const std::vector<GridDimension>& all = dimensions[array.index];
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const GridDimension& along) { return along.axis == axis; });
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

bool Grid::Shares(ArrayId array) const {
  const std::vector<GridDimension>& all = dimensions[array.index];
  return std::any_of(all.begin(), all.end(),
                     [](const GridDimension& along) { return along.axis >= 0; });
}

std::vector<std::uint32_t> MemoryClasses(const Graph& graph) {
  std::vector<std::uint32_t> first(graph.arrays.size());
  std::iota(first.begin(), first.end(), 0U);
  const auto root = [&](std::uint32_t at) {
    while (first[at] != at) at = first[at];
    return at;
  };
  const auto join = [&](ArrayId a, ArrayId b) {
    const std::uint32_t x = root(a.index);
    const std::uint32_t y = root(b.index);
    first[std::max(x, y)] = std::min(x, y);
  };
  for (const Node& node : graph.nodes) {
    if (const auto* op = std::get_if<Operator>(&node)) {
      if (op->background.Valid()) {
        join(graph.versions[op->result].array, graph.versions[op->background].array);
      }
      continue;
    }
    for (const Carried& carried : std::get<Loop>(node).carried) {
      for (const VersionId version :
           {carried.initial, carried.entry, carried.next, carried.result}) {
        join(carried.array, graph.versions[version].array);
      }
    }
  }
  for (const Output& output : graph.outputs) {
    join(output.array, graph.versions[output.version].array);
  }
  for (std::uint32_t at = 0; at < first.size(); ++at) first[at] = root(at);
  return first;
}

std::int64_t Grid::ScaleAlong(ArrayId array, std::size_t axis) const {
  const int d = DimensionOf(array, static_cast<int>(axis));
  return d < 0 ? 1 : Of(array, static_cast<std::size_t>(d)).scale;
}

Reaches Grid::Elements(ArrayId array, Reaches points) const {
  for (std::size_t a = 0; a < points.size(); ++a) {
    const std::int64_t scale = ScaleAlong(array, a);
    points[a] = {points[a].lo * scale, points[a].hi * scale};
  }
  return points;
}

Reaches Grid::Points(ArrayId array, Reaches elements) const {
  for (std::size_t a = 0; a < elements.size(); ++a) {
    const std::int64_t scale = ScaleAlong(array, a);
    elements[a] = {CeilDiv(elements[a].lo, scale), CeilDiv(elements[a].hi, scale)};
  }
  return elements;
}

std::int64_t IteratorScale(const Grid& grid, const Graph& graph, const Operator& op, int iterator) {
  const auto find = [&](ArrayId array, const std::vector<Index>& indices) -> std::int64_t {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const GridDimension& along = grid.Of(array, d);
      if (along.axis < 0 || indices[d].iterator != iterator) continue;
      return along.scale / indices[d].coefficient;
    }
    return 0;
  };
  std::int64_t scale = op.reduction ? 0 : find(graph.versions[op.result].array, op.target);
  for (const ExprId id : Accesses(graph, op)) {
    if (scale > 0) break;
    const auto& access = std::get<Access>(graph.exprs[id].node);
    scale = find(graph.versions[access.version].array, access.indices);
  }
  return std::max<std::int64_t>(scale, 1);
}

std::int64_t ReadReach::Read(std::int64_t n) const {
  if (n <= Halo::kNever) return Halo::kNever;
  return factor * FloorDiv(n + before, divisor) + after;
}

std::int64_t ReadReach::Written(std::int64_t read) const {
  return divisor * (FloorDiv(read - after, factor) + 1) - 1 - before;
}

namespace {

/// Below and above.
using ReadReaches = std::array<ReadReach, 2>;

/// Empty where the array does not follow the axis. With a boundary mode that mirrors, either way,
/// and from elements beyond the end of the array as far inwards.
std::optional<ReadReaches> ReachesOf(const Grid& grid, int axis, const Graph& graph,
                                     const Operator& op, const Access& access) {
  const ArrayId array = graph.versions[access.version].array;
  const ArrayId result = graph.versions[op.result].array;
  const int d = grid.DimensionOf(array, axis);
  const int t = grid.DimensionOf(result, axis);
  if (d < 0 || t < 0) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(d);
  const auto target = static_cast<std::size_t>(t);
  const GridDimension& from = grid.Of(array, dimension);
  const GridDimension& to = grid.Of(result, target);
  const auto [written, read] =
      PairOf(op.target[target], to.scale, access.indices[dimension], from.scale);
  const std::int64_t at = written.offset.constant;
  const std::int64_t o = read.offset.constant;
  ReadReach below{written.coefficient, at, read.coefficient, -o};
  ReadReach above{written.coefficient, -1 - at, read.coefficient, o + 1};
  const auto kind = access.boundary.empty() ? BoundaryKind::None : access.boundary[dimension].kind;
  if (kind == BoundaryKind::Mirror || kind == BoundaryKind::Mirror101) {
    // The last points of a target that is longer read as far inwards as they lie beyond the end.
    const std::int64_t last = FloorDiv(to.excess - 1 - at, written.coefficient);
    const std::int64_t beyond = 2 - from.scale - 2 * from.excess + read.coefficient * last;
    below.after = std::max({o, -o, o + beyond});
    above.after = std::max(o, -o) + 1;
  }
  return ReadReaches{below, above};
}

}  // namespace

std::vector<Shift> ReadShifts(const Grid& grid, const Graph& graph, const Operator& op,
                              const Access& access) {
  const std::size_t axes = grid.axes.size();
  std::vector<std::optional<ReadReaches>> reaches;
  for (std::size_t a = 0; a < axes; ++a) {
    reaches.push_back(ReachesOf(grid, static_cast<int>(a), graph, op, access));
  }
  const auto reach = [&](int direction, std::size_t a) -> const ReadReach& {
    return (*reaches[a])[ranks::StepOf(direction, a, axes) < 0 ? 0 : 1];
  };
  // Along no axis that the points do not step along, or farther than their own place.
  const auto reads = [&](int to, int from) {
    for (std::size_t a = 0; a < axes; ++a) {
      const int at = ranks::StepOf(to, a, axes);
      const int there = ranks::StepOf(from, a, axes);
      if (there != 0 && !reaches[a]) return false;
      if (at != there && (at != 0 || reach(from, a).Read(0) <= 0)) return false;
    }
    return true;
  };
  std::vector<Shift> shifts;
  const int directions = ranks::DirectionCount(axes);
  for (int to = 0; to < directions; ++to) {
    for (int from = 0; from < directions; ++from) {
      if (!reads(to, from)) continue;
      for (std::size_t a = 0; a < axes; ++a) {
        if (ranks::StepOf(to, a, axes) != 0) shifts.push_back({to, from, a, reach(from, a)});
      }
    }
  }
  return shifts;
}

bool IsUnitStride(const Distributed& program, int axis) {
  return std::any_of(program.fields.begin(), program.fields.end(), [&](ArrayId array) {
    return program.grid.DimensionOf(array, axis) + 1 ==
           static_cast<int>(program.graph.arrays[array].rank());
  });
}

}  // namespace stencilgen::distribute
