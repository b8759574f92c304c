#include "unit/traffic_model.h"

#include <algorithm>

namespace stencilgen::testing {
namespace {

Margins Uniform(std::int64_t width) {
  return {{width, width, width}, {width, width, width}};
}

Read Around(std::int64_t halo) {
  return {{halo, halo, halo}, {halo, halo, halo}};
}

/// Forward differences, then backward differences of their results.
Moved MovedByCurl(int steps) {
  Moved moved;
  moved.halo = steps;
  moved.grid = {{0, 0, 0}, {1, 1, 1}};
  moved.stored = {{{1, 1, 0}, {1, 1, 1}}, {{1, 0, 1}, {1, 1, 1}}, {{0, 1, 1}, {1, 1, 1}}};
  // A curl has no derivative of a component along its own axis: one step reaches forward in it only
  // as far as the other components of the step after.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    moved.reads.push_back(Around(steps));
    moved.reads.back().after[axis] = steps - 1;
  }
  return moved;
}

/// The iterate is held. The one before it is read at its own point alone, and only by the first
/// step; so are the other two fields where no second step wants them again.
Moved MovedByCheby(int steps) {
  Moved moved;
  moved.halo = steps;
  moved.grid = Uniform(1);
  moved.reads.assign(4, Around(steps - 1));
  moved.reads[0] = Around(steps);
  moved.stored = {Uniform(1)};
  if (steps == 1) {
    for (std::size_t k = 1; k < 4; ++k) moved.reads[k].computed_only = true;
  } else {
    moved.stored.push_back(Uniform(1));  // the next run reads both iterates
  }
  return moved;
}

/// Two stages a step, each of reach 1; the noisy image is read at the point alone, twice, and
/// loaded once.
Moved MovedByDenoise(int steps) {
  Moved moved;
  moved.halo = 2 * steps;
  moved.grid = Uniform(2);
  moved.reads = {Around(2 * steps), Around(2 * (steps - 1))};
  moved.stored = {Uniform(2)};
  return moved;
}

/// Points of [first, first + count) that are in [lo, hi).
std::int64_t Clip(std::int64_t first, std::int64_t count, std::int64_t lo, std::int64_t hi) {
  return std::max<std::int64_t>(0, std::min(first + count, hi) - std::max(first, lo));
}

std::size_t OuterDimension(const Extents& size) {
  return size[0] > 1 ? 0 : 1;
}

/// Over the tiles of one dimension, the points that they read. In three dimensions the first and
/// the last tile need no halo beyond the array's ends: they store so many points more, and have all
/// that their threads do.
std::int64_t ReadInTiles(const Moved& moved, const Read& read, const Cut& cut, const Extents& size,
                         std::size_t d) {
  const std::int64_t begin = moved.grid.lo[d];
  const std::int64_t end = size[d] - moved.grid.hi[d];
  const bool walked = cut.streamed && d == OuterDimension(size);
  const bool whole = walked || size[0] == 1;
  const std::int64_t kept = walked ? end - begin : cut.tile[d] - 2 * moved.halo;
  const std::int64_t more_first =
      whole ? 0 : std::max<std::int64_t>(moved.halo - moved.grid.lo[d], 0);
  const std::int64_t more_last =
      whole ? 0 : std::max<std::int64_t>(moved.halo - moved.grid.hi[d], 0);
  const std::int64_t others = std::max<std::int64_t>(end - begin - more_first - more_last, 1);
  const std::int64_t tiles = (others + kept - 1) / kept;
  std::int64_t points = 0;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t at = begin + more_first + tile * kept;
    const std::int64_t before = tile == 0 && more_first > 0 ? moved.halo : read.before[d];
    const std::int64_t after = tile + 1 == tiles && more_last > 0 ? moved.halo : read.after[d];
    points += Clip(at - before, kept + before + after, read.computed_only ? begin : 0,
                   read.computed_only ? end : size[d]);
  }
  return points;
}

/// Of a program of fewer dimensions the first have one point and no margin.
Margins Restricted(Margins margins, const Extents& size) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (size[d] == 1) margins.lo[d] = margins.hi[d] = 0;
  }
  return margins;
}

std::int64_t Points(const Margins& margins, const Extents& size) {
  std::int64_t points = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    points *= std::max<std::int64_t>(0, size[d] - margins.lo[d] - margins.hi[d]);
  }
  return points;
}

}  // namespace

Moved MovedBy(const std::string& program, int steps) {
  if (program == "curl") return MovedByCurl(steps);
  if (program == "cheby") return MovedByCheby(steps);
  if (program == "denoise") return MovedByDenoise(steps);
  const bool second_order = program == "j2d9pt" || program == "gaussian" || program == "j3d13pt";
  const std::int64_t reach = second_order ? 2 : 1;
  Moved moved;
  moved.halo = reach * steps;
  moved.grid = Uniform(reach);
  moved.reads = {Around(moved.halo)};
  moved.stored = {Uniform(reach)};
  return moved;
}

Traffic TrafficOfLaunch(const Moved& given, const Cut& cut, const Extents& size) {
  Moved moved = given;
  moved.grid = Restricted(given.grid, size);
  Traffic traffic;
  for (const Read& read : moved.reads) {
    std::int64_t points = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      if (size[d] > 1) points *= ReadInTiles(moved, read, cut, size, d);
    }
    traffic.loads += points;
  }
  for (const Margins& margins : moved.stored) {
    traffic.stores += Points(Restricted(margins, size), size);
  }
  return traffic;
}

std::int64_t Outside(const Moved& moved, const Extents& size) {
  std::int64_t points = 0;
  for (const Margins& margins : moved.stored) {
    points += size[0] * size[1] * size[2] - Points(Restricted(margins, size), size);
  }
  return points;
}

}  // namespace stencilgen::testing
