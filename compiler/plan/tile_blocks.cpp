#include "plan/tile_blocks.h"

#include <algorithm>

#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Operator;
using graph::Range;
using graph::VersionId;

/// `count` pieces of `size` integers each, `step` apart.
struct Blocks {
  std::int64_t count = 0, first = 0, step = 1, size = 1;
};
/// The sum of count(b) over the blocks. Blocks outside the range count nothing, and those that
/// lie in it all the same: a grid may have a great many.
template <typename Count>
std::int64_t SumOver(const Blocks& blocks, const Range& range, Count count) {
  const auto at_least = [&](std::int64_t x) {  // the first block that begins there or later
    return graph::CeilDiv(x - blocks.first, blocks.step);
  };
  const std::int64_t begin = std::max<std::int64_t>(at_least(range.lo - blocks.size + 1), 0);
  const std::int64_t end = std::min(at_least(range.hi + 1), blocks.count);
  // The first one may have more than others.
  const std::int64_t inside = std::max<std::int64_t>(at_least(range.lo), begin + 1);
  // The last block may be cut off by something else than the range.
  const std::int64_t beyond =
      std::min(at_least(range.hi - blocks.size + 2), std::min(end, blocks.count - 1));
  std::int64_t sum = 0;
  for (std::int64_t b = begin; b < end; ++b) {
    if (b == inside && inside < beyond) {
      sum += (beyond - inside) * count(b);
      b = beyond - 1;
    } else {
      sum += count(b);
    }
  }
  return sum;
}

}  // namespace

Range Cut(const Range& a, const Range& b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

TileBlocks::TileBlocks(const graph::Graph& graph, const Tile& tile,
                       const graph::ParameterValues& parameters)
    : graph_(graph), tile_(tile), parameters_(parameters) {
  if (!SetGrid()) tile_blocks_ = 0;
}

std::vector<Range> TileBlocks::DomainOf(const Operator& op) const {
  std::vector<Range> ranges;
  const bool runs = GuardsHold(op, parameters_);
  for (const graph::Interval& interval : op.domain.intervals) {
    ranges.push_back(runs ? graph::Evaluate(interval, parameters_) : Range{});
  }
  return ranges;
}

std::vector<Range> TileBlocks::ArrayOf(VersionId version) const {
  std::vector<Range> ranges;
  for (const auto& extent : graph_.arrays[graph_.versions[version].array].extents) {
    ranges.push_back({0, graph::Evaluate(extent, parameters_) - 1});
  }
  return ranges;
}

std::vector<Range> TileBlocks::Around(std::vector<Range> ranges, const TileVersion& version) const {
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    if (!version.wraps[d] || ranges[d].size() == 0) continue;
    ranges[d] = {stored_[d].lo - version.halo.lo[d], stored_[d].hi + version.halo.hi[d]};
  }
  return ranges;
}

std::vector<Range> TileBlocks::StoreRange(const TileStore& store) const {
  if (store.whole) return ArrayOf(store.version);
  return DomainOf(std::get<Operator>(graph_.nodes[graph_.versions[store.version].node]));
}

/// Where the grid's blocks are and how they walk. False where there are none.
bool TileBlocks::SetGrid() {
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    Range hull;
    for (const TileStore& store : tile_.stores) {
      const Range range = StoreRange(store)[d];
      if (range.size() == 0) continue;
      hull = hull.size() == 0 ? range
                              : Range{std::min(hull.lo, range.lo), std::max(hull.hi, range.hi)};
    }
    if (hull.size() == 0) return false;
    stored_.push_back(hull);
    if (tile_.stream != d) hull.lo = tile_.FirstTile(d, hull.lo);
    grid_.push_back(hull);
  }
  if (tile_.stream) {
    before_ = tile_.StepsBefore();
    after_ = tile_.StepsAfter();
  }
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.stream == d) {
      chunks_ = graph::CeilDiv(grid_[d].size(), Chunk());
      steps_ = grid_[d].size() + chunks_ * (before_ + after_);
    } else {
      tile_blocks_ *= Tiles(d);
    }
  }
  return true;
}

std::int64_t TileBlocks::Tiles(std::size_t d) const {
  return tile_.Tiles(d, grid_[d].lo, grid_[d].hi);
}

std::int64_t TileBlocks::Chunk() const {
  return tile_.chunk == 0 ? grid_[*tile_.stream].size() : tile_.chunk;
}

std::int64_t TileBlocks::Along(std::size_t d, const TileCondition& condition, int part) const {
  const std::int64_t stored = tile_.Stored(d);
  const std::int64_t points = std::int64_t{tile_.threads[d]} * tile_.points[d];
  const std::int64_t first = grid_[d].lo - tile_.halo.lo[d];
  const auto count = [&](std::int64_t block) {
    const std::int64_t start = grid_[d].lo + block * stored;
    Range range =
        Cut({start - tile_.halo.lo[d], start - tile_.halo.lo[d] + points - 1}, condition.range[d]);
    if (condition.near != nullptr) {
      const bool more_before = block == 0 && tile_.spared.lo[d] > 0;
      const bool more_after = block + 1 == Tiles(d) && tile_.spared.hi[d] > 0;
      const std::int64_t before = more_before ? tile_.halo.lo[d] : condition.near->lo[d];
      const std::int64_t after = more_after ? tile_.halo.hi[d] : condition.near->hi[d];
      range = Cut(range, {start - before, start + stored - 1 + after});
    }
    return Parts(range, start - tile_.halo.lo[d], d, part);
  };
  const Blocks blocks = {Tiles(d), first, stored, points};
  return SumOver(blocks, condition.range[d], count);
}

/// Integers x of the range with (x - first) mod (points of a thread) = part; all where part < 0.
std::int64_t TileBlocks::Parts(const Range& range, std::int64_t first, std::size_t d,
                               int part) const {
  const std::int64_t points = tile_.points[d];
  if (part < 0 || points == 1 || range.size() == 0) return range.size();
  const auto up_to = [&](std::int64_t x) { return graph::FloorDiv(x - first - part, points); };
  return up_to(range.hi) - up_to(range.lo - 1);
}

std::int64_t TileBlocks::AlongStream(const TileCondition& condition, std::int64_t lag) const {
  const std::size_t d = *tile_.stream;
  const auto count = [&](std::int64_t block) {
    const std::int64_t first = grid_[d].lo + block * Chunk();
    const std::int64_t last = std::min(first + Chunk() - 1, grid_[d].hi);
    Range range = Cut({first - before_ - lag, last + after_ - lag}, condition.range[d]);
    if (condition.near != nullptr && condition.near_along_stream) {
      range = Cut(range, {first - condition.near->lo[d], last + condition.near->hi[d]});
    }
    return range.size();
  };
  const Blocks blocks = {chunks_, grid_[d].lo - before_ - lag, Chunk(), Chunk() + before_ + after_};
  return SumOver(blocks, condition.range[d], count);
}

std::int64_t TileBlocks::CountPoints(const TileCondition& condition, std::int64_t lag,
                                     const std::array<int, 3>* point) const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    count *= tile_.stream == d ? AlongStream(condition, lag)
                               : Along(d, condition, point == nullptr ? -1 : (*point)[d]);
  }
  return count;
}

std::int64_t TileBlocks::Everyone() const {
  return tile_blocks_ * steps_ * tile_.Threads() * tile_.Points();
}

std::int64_t TileBlocks::AlongBlocks(std::size_t d, const Range& range, std::int64_t begin,
                                     std::int64_t end) const {
  const std::int64_t first = grid_[d].lo - tile_.halo.lo[d] + begin;
  const Blocks blocks = {Tiles(d), first, tile_.Stored(d), std::max<std::int64_t>(end - begin, 1)};
  return SumOver(blocks, range, [&](std::int64_t block) {
    const std::int64_t at = first + block * tile_.Stored(d);
    return Cut({at, at + end - begin - 1}, range).size();
  });
}

}  // namespace stencilgen::plan
