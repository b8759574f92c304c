#include <algorithm>
#include <numeric>

#include "distribute/find_grid.h"
#include "stencilgen/ranks.hpp"

namespace stencilgen::distribute {

using namespace graph;

int Grid::DimensionOf(ArrayId array, int axis) const {
  const std::vector<int>& followed = axis_of[array.index];
  const auto at = std::find(followed.begin(), followed.end(), axis);
  return at == followed.end() ? -1 : static_cast<int>(at - followed.begin());
}

bool Grid::Shares(ArrayId array) const {
  const std::vector<int>& dimensions = axis_of[array.index];
  return std::any_of(dimensions.begin(), dimensions.end(), [](int axis) { return axis >= 0; });
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

std::optional<Reach> ReadReach(const Grid& grid, int axis, const Graph& graph, const Operator& op,
                               const Access& access) {
  const ArrayId array = graph.versions[access.version].array;
  const int d = grid.DimensionOf(array, axis);
  const int t = grid.DimensionOf(graph.versions[op.result].array, axis);
  if (d < 0 || t < 0) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(d);
  const LinearForm distance =
      access.indices[dimension].offset - op.target[static_cast<std::size_t>(t)].offset;
  const std::int64_t o = distance.constant;
  const auto kind = access.boundary.empty() ? BoundaryKind::None : access.boundary[dimension].kind;
  const bool mirrors = kind == BoundaryKind::Mirror || kind == BoundaryKind::Mirror101;
  if (mirrors) {
    // The last points of a target that is longer read as far inwards as they lie beyond the end.
    const std::int64_t beyond =
        grid.excess[graph.versions[op.result].array.index][static_cast<std::size_t>(t)] -
        2 * grid.excess[array.index][dimension];
    return Reach{std::max({o, -o, o + beyond}), std::max(o, -o)};
  }
  return Reach{-o, o};
}

std::vector<Shift> ReadShifts(const Grid& grid, const Graph& graph, const Operator& op,
                              const Access& access) {
  const std::size_t axes = grid.axes.size();
  std::vector<std::optional<Reach>> reach;
  for (std::size_t a = 0; a < axes; ++a) {
    reach.push_back(ReadReach(grid, static_cast<int>(a), graph, op, access));
  }
  const auto distance = [&](int direction, std::size_t a) {
    return ranks::StepOf(direction, a, axes) < 0 ? reach[a]->lo : reach[a]->hi;
  };
  // Along no axis that the points do not step along, or farther than their own place.
  const auto reads = [&](int to, int from) {
    for (std::size_t a = 0; a < axes; ++a) {
      const int at = ranks::StepOf(to, a, axes);
      const int there = ranks::StepOf(from, a, axes);
      if (there != 0 && !reach[a]) return false;
      if (at != there && (at != 0 || distance(from, a) <= 0)) return false;
    }
    return true;
  };
  std::vector<Shift> shifts;
  const int directions = ranks::DirectionCount(axes);
  for (int to = 0; to < directions; ++to) {
    for (int from = 0; from < directions; ++from) {
      if (!reads(to, from)) continue;
      for (std::size_t a = 0; a < axes; ++a) {
        if (ranks::StepOf(to, a, axes) != 0) shifts.push_back({to, from, a, distance(from, a)});
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
