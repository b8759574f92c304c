#include "driver/target_options.h"

#include <algorithm>
#include <array>
#include <vector>

namespace stencilgen::driver {

namespace {

/// C++: what is not given of tiles is chosen, and none are given.
bool ChoosesTiles(const PipelineOptions& options) {
  const std::vector<int>& tile = options.nests.tile;
  return options.choose &&
         std::none_of(tile.begin(), tile.end(), [](int points) { return points > 0; });
}

}  // namespace

bool TilesTurns(const PipelineOptions& options) {
  return options.given.time_tile ? options.time_tile > 1 : ChoosesTiles(options);
}

bool HasMatrixTiles(const PipelineOptions& options) {
  if (options.target == Target::Cpp) return ChoosesTiles(options);
  return options.choose && (options.schedule.shared_memory || !options.given.shared_memory);
}

choose::GivenTile GivenTileOf(const PipelineOptions& options) {
  choose::GivenTile given;
  for (std::size_t axis = 0; axis < given.threads.size(); ++axis) {
    if (options.given.block[axis]) given.threads[axis] = options.schedule.block[axis];
    if (options.unroll_given[axis]) given.points[axis] = options.schedule.unroll[axis];
  }
  return given;
}

void ApplyUnrollWishes(const graph::Graph& graph, PipelineOptions& options) {
  const std::size_t dimensions = graph.unroll_wishes.size();
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const int wish = graph.unroll_wishes[dimensions - 1 - axis];
    if (options.unroll_given[axis]) continue;
    options.schedule.unroll[axis] = wish;
    options.unroll_given[axis] = wish > 1;
  }
}

passes::ReorderOptions OrderOptions(const PipelineOptions& options) {
  passes::ReorderOptions reorder = options.codegen.reorder;
  if (options.target == Target::Cpp && options.nests.choose_points &&
      options.codegen.fp == FpMode::Fast && !options.given.reorder) {
    reorder.how = passes::Reorder::Auto;
  }
  return reorder;
}

choose::NestOptions NestOptionsOf(const graph::Graph& graph, const PipelineOptions& options) {
  choose::NestOptions nests = options.nests;
  nests.fusion = options.given.fusion ? options.schedule.fusion : plan::Fusion::Greedy;
  nests.strict = options.codegen.fp == FpMode::Strict;
  nests.reorder = OrderOptions(options);
  nests.distribute = options.codegen.distribute;
  if (options.cpu) nests.cpu = *options.cpu;
  const auto asks = [](int wish) { return wish > 1; };
  const auto& wishes = graph.unroll_wishes;
  nests.choose_points = nests.choose_points && options.unroll_given == std::array<bool, 3>{} &&
                        std::none_of(wishes.begin(), wishes.end(), asks);
  return nests;
}

void LeaveToNests(PipelineOptions& options) {
  options.choose = false;
  options.schedule.shared_memory = options.schedule.shuffle = false;
  options.time_tile = 1;
  options.split.reset();
  options.schedule.fusion = plan::Fusion::None;
  options.schedule.stream.reset();
  options.schedule.shape = plan::TurnTiles::Overlapped;
}

}  // namespace stencilgen::driver
