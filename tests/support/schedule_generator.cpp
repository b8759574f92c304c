#include "support/schedule_generator.h"

#include <utility>
#include <vector>

namespace stencilgen::testing {
namespace {

using plan::Schedule;

void ChooseBlock(Prng* prng, int rank, Schedule* schedule) {
  static const std::vector<int> kX = {4, 5, 8, 16, 32}, kOddX = {1, 3, 33};
  static const std::vector<int> kShuffleX = {8, 16, 32};
  static const std::vector<int> kY = {1, 2, 3, 4, 8}, kZ = {1, 2, 3, 4};
  static const std::vector<int> kUnroll = {1, 1, 1, 1, 2, 3};
  const bool odd = prng->Percent(8);
  schedule->block = {prng->Pick(schedule->shuffle ? kShuffleX : odd ? kOddX : kX), 1, 1};
  if (rank > 1) schedule->block[1] = prng->Pick(kY);
  if (rank > 2) schedule->block[2] = prng->Pick(kZ);
  for (int axis = 0; axis < rank; ++axis) {
    schedule->unroll[static_cast<std::size_t>(axis)] = prng->Pick(kUnroll);
  }
}

/// Rows of a warp, which its stages hand on.
void ChoosePipeline(Prng* prng, TimedSchedule* timed) {
  Schedule& schedule = timed->schedule;
  schedule.stages = prng->Range(2, 4);
  schedule.fusion = plan::Fusion::Max;
  schedule.shuffle = schedule.shared_memory = true;
  schedule.halo = plan::HaloBy::Threads;
  schedule.block = {32, 1, 1};
  static const std::vector<int> kPoints = {1, 2, 3, 4};
  schedule.unroll = {prng->Pick(kPoints), 1, 1};
  timed->time_tile = prng->Range(1, 3);
  timed->split = 0;
}

}  // namespace

TimedSchedule RandomSchedule(Prng* prng, int rank) {
  TimedSchedule timed;
  Schedule& schedule = timed.schedule;
  schedule.shared_memory = prng->Percent(80);
  static const std::vector<plan::Fusion> kFusions = {plan::Fusion::None, plan::Fusion::Max,
                                                     plan::Fusion::Max, plan::Fusion::Greedy};
  schedule.fusion = prng->Pick(kFusions);
  schedule.objective = static_cast<plan::FusionObjective>(prng->Below(3));
  schedule.shuffle = prng->Percent(20);
  ChooseBlock(prng, rank, &schedule);
  if (rank > 1 && prng->Percent(55)) {
    const bool chunks = prng->Percent(50);
    schedule.stream = plan::Stream{prng->Below(rank - 1), chunks ? prng->Range(1, 9) : 0};
    if (chunks && prng->Percent(40)) std::swap(schedule.stream->chunk, schedule.stream->shortest);
  }
  static const std::vector<plan::Prefetch> kPrefetches = {
      plan::Prefetch::None, plan::Prefetch::Step, plan::Prefetch::Register, plan::Prefetch::Async};
  schedule.prefetch = prng->Pick(kPrefetches);
  if (prng->Percent(30)) schedule.barriers = plan::BarrierRule::Step;
  if (prng->Percent(20)) schedule.form = plan::Form::Scatter;
  if (prng->Percent(40)) schedule.halo = plan::HaloBy::Loads;
  // A warp's row needs a block of whole warps to be used.
  if (schedule.shuffle && prng->Percent(70)) {
    schedule.block[1] = rank > 1 ? 32 / schedule.block[0] : 1;
    if (rank == 1) schedule.block[0] = 32;
    if (rank > 2) schedule.block[2] = prng->Range(1, 2);
    if (schedule.stream && rank == 2) schedule.block = {32, 1, 1};
    if (schedule.stream && rank == 3) schedule.block[2] = schedule.block[1];
  }
  if (prng->Percent(50)) timed.time_tile = prng->Range(2, 4);
  if (prng->Percent(25)) {
    timed.split = prng->Range(1, 4);
    timed.crossing = static_cast<passes::Crossing>(prng->Below(3));
  }
  static const std::vector<passes::Reorder> kReorders = {
      passes::Reorder::None, passes::Reorder::Trees, passes::Reorder::Lars, passes::Reorder::Auto};
  timed.reorder = prng->Pick(kReorders);
  if (rank > 1 && schedule.stream && prng->Percent(30)) ChoosePipeline(prng, &timed);
  if (timed.split == 0 && prng->Percent(8)) schedule.shape = plan::TurnTiles::Hexagon;
  return timed;
}

plan::Schedule ForWavefronts(plan::Schedule schedule) {
  constexpr int kLanes = 64;
  schedule.warp = kLanes;
  const int threads = schedule.block[0] * schedule.block[1] * schedule.block[2];
  if (schedule.shuffle && threads % kLanes == kLanes / 2) schedule.block[0] *= 2;
  return schedule;
}

}  // namespace stencilgen::testing
