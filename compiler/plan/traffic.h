#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// Threads of a block that computes lanes of a reduction.
inline constexpr std::int64_t kLanesOfBlock = 256;

/// What one launch of a kernel does, all blocks together ([S] Table 3.1, for any dimension and any
/// tile). Elements, barriers and flops are exact where every point evaluates all it reads; where a
/// condition chooses between values, both count. In blocks at an edge a tile may compute fewer
/// points than are counted, where those outside the domain have a value in memory.
struct Traffic {
  std::int64_t blocks = 0;
  std::int64_t threads = 0;  ///< of a block
  std::int64_t steps = 0;    ///< of the stream, all chunks together; one without a stream
  std::int64_t chunks = 0;   ///< of the stream; one without

  std::int64_t loads = 0, stores = 0;  ///< elements of global memory
  std::int64_t load_bytes = 0, store_bytes = 0;
  std::int64_t shared_loads = 0, shared_stores = 0;  ///< elements
  /// Of `shared_loads` and `shared_bytes`: what the thread has loaded before, for another point or
  /// operator, since shared memory changed last: compilers do not load it again.
  std::int64_t repeated_loads = 0, repeated_bytes = 0;
  /// Of `loads` and `direct_bytes`: what the thread has read before in the same step, for another
  /// point or operator, which compilers do not load again.
  std::int64_t merged_loads = 0, merged_bytes = 0;
  std::int64_t shuffles = 0;  ///< elements
  std::int64_t shared_bytes = 0, shuffle_bytes = 0;
  /// Of `loads` and `stores`, and of `shared_loads` less `repeated_loads` and `shared_stores`:
  /// moved in one instruction with the element before.
  std::int64_t joined = 0, shared_joined = 0;
  /// Of all bytes loaded and stored, but for repeated ones: moved one element a thread by threads
  /// with several points along x, so that neighbouring threads meet in a bank.
  std::int64_t strided_bytes = 0;
  std::int64_t barriers = 0;  ///< once a block
  std::int64_t flops = 0;     ///< with those of halos
  /// Of `flops`: divisions and square roots, each of which takes many instructions. A division by a
  /// root is one (`--fp fast`); functions of the library that take more count several times.
  std::int64_t divisions = 0;
  /// Of tiles: instructions of arithmetic, as the code of their sums has them (ShareSums).
  double arithmetic = 0;
  std::int64_t points = 0;        ///< stored
  std::int64_t direct_bytes = 0;  ///< of `load_bytes`: read by operators, not into the tile

  /// Bytes between multiprocessors and the second-level cache, in sectors of 32 bytes; neighbours
  /// that a block reads again come from the first level.
  double cache_bytes = 0;
  /// Bytes between the second-level cache and memory: what blocks side by side both read crosses
  /// once, what the next chunk reads again crosses again.
  double memory_bytes = 0;
  /// Bytes that any kernel of these operators must move: each element read or written once.
  double compulsory_bytes = 0;
};

/// How an operator of a tile computes its sums at the points of a thread: TileBody::arithmetic and
/// `shared` (tile_body.h).
struct OperatorSums {
  std::int64_t arithmetic = 0;
  bool shared = false;
};
/// By operator; empty without a tile.
using TileSums = std::vector<OperatorSums>;

/// `sums`: FindSums of the kernel; empty: it is found here. Who counts a kernel several times, by
/// other sizes or chunks, finds them once.
/// Requires: the kernel is of the plan; one value a parameter.
Traffic FindTraffic(const Plan& plan, const Kernel& kernel,
                    const graph::ParameterValues& parameters, const TileSums& sums);
Traffic FindTraffic(const Plan& plan, const Kernel& kernel,
                    const graph::ParameterValues& parameters);

/// Elements that the step copies.
std::int64_t CountCopied(const Plan& plan, const CopyOutside& copy,
                         const graph::ParameterValues& parameters);
std::int64_t CountCopied(const Plan& plan, const CopyAll& copy,
                         const graph::ParameterValues& parameters);

}  // namespace stencilgen::plan
