#include "distribute/exchange_depth.h"

#include <algorithm>
#include <map>

namespace stencilgen::distribute {

namespace {

/// Adds the depths of the ghosts in the direction.
void Add(const Halo& halo, int direction, mpi::Corner& corner) {
  for (std::size_t a = 0; a < halo.axes(); ++a) {
    const int step = halo.StepOf(direction, a);
    if (step != 0) (step < 0 ? corner.lo : corner.hi)[a] = halo.At(direction, a);
  }
}

/// Corners that step along the same axes.
using Directions = std::vector<int>;

/// One corner says what the halo has in all of the directions.
bool IsOne(const Halo& halo, const Directions& directions, const mpi::Corner& corner) {
  return std::all_of(directions.begin(), directions.end(), [&](int direction) {
    bool same = true;
    bool none = false;
    for (std::size_t a = 0; a < halo.axes(); ++a) {
      const int step = halo.StepOf(direction, a);
      if (step == 0) continue;
      const long long deep = (step < 0 ? corner.lo : corner.hi)[a];
      same = same && deep == halo.At(direction, a);
      none = none || deep == 0;
    }
    return halo.Has(direction) ? same : none;
  });
}

}  // namespace

mpi::Depth ExchangeDepth(const Distributed& program, const FieldDepth& field) {
  mpi::Depth depth;
  const auto number = std::find(program.fields.begin(), program.fields.end(), field.array);
  depth.field = static_cast<int>(number - program.fields.begin());
  const Halo& halo = field.depth;
  const auto follows = [&](std::size_t axis) {
    return program.grid.DimensionOf(field.array, static_cast<int>(axis)) >= 0;
  };
  std::map<std::vector<bool>, Directions> corners;
  for (int direction = 0; direction < halo.directions(); ++direction) {
    std::vector<bool> along;
    for (std::size_t a = 0; a < halo.axes(); ++a) {
      along.push_back(halo.StepOf(direction, a) != 0);
      if (along.back() && !follows(a)) along.clear();
      if (along.empty()) break;
    }
    const auto axes = std::count(along.begin(), along.end(), true);
    if (axes > 1) corners[along].push_back(direction);
  }
  for (std::size_t a = 0; a < halo.axes(); ++a) {
    if (!follows(a)) continue;
    depth.lo[a] = halo[a].lo;
    depth.hi[a] = halo[a].hi;
  }
  for (const auto& [along, directions] : corners) {
    mpi::Corner all;
    for (const int direction : directions) {
      if (halo.Has(direction)) Add(halo, direction, all);
    }
    const bool is_one = IsOne(halo, directions, all);
    for (const int direction : directions) {
      if (!halo.Has(direction)) continue;
      mpi::Corner corner;
      Add(halo, direction, corner);
      depth.corners.push_back(is_one ? all : corner);
      if (is_one) break;
    }
  }
  return depth;
}

}  // namespace stencilgen::distribute
