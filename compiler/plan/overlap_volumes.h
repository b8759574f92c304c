#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/gpu.h"
#include "plan/tile.h"

/// What overlapped tiles move and compute: [S] Table 3.1 (Rawat, *Optimization of Stencil
/// Computations on GPUs*, Ohio State 2018) for boxes of one to three dimensions, any halos, and all
/// three ways to cut them: tiles in every dimension, a stream along one (serial), and a stream in
/// chunks (concurrent).
namespace stencilgen::plan {

/// How blocks cut the points of a kernel; by dimension, outermost first, x last.
struct OverlapCut {
  std::size_t dimensions = 0;
  std::array<std::int64_t, 3> stored = {1, 1, 1};  ///< points there are to store
  std::array<std::int64_t, 3> tile = {1, 1, 1};    ///< B: points of a block, halo included
  Halo halo;                                       ///< of the tile: a block stores B less this
  std::optional<std::size_t> stream;               ///< not cut there; never the last dimension
  std::int64_t chunk = 0;                          ///< but in chunks of so many points; 0: whole

  /// Points that a block stores along the dimension; all of them along a serial stream.
  std::int64_t Width(std::size_t dimension) const;
  /// False where a block has no point to store.
  bool Fits() const;
};

/// Points of one array or operator that tiles need.
struct OverlapPoints {
  std::array<std::int64_t, 3> extent = {1, 1, 1};  ///< that there are, without the overlap
  Halo halo;                                       ///< needed around what a block stores
  std::int64_t bytes = 0;                          ///< of an element
  double flops = 0;                                ///< of a point
};

/// All blocks of a launch together. Tiles that are cut at an edge count as the part that they are,
/// as in [S] Table 3.2.
struct OverlapVolumes {
  double loads = 0, load_transactions = 0;    ///< elements; rows of up to 32 of them
  double stores = 0, store_transactions = 0;  ///< likewise
  double computed = 0;                        ///< points, halos included
  double redundant = 0;                       ///< of them, what another block computes as well
  double transaction_bytes = 0;               ///< loaded and stored
  double flops = 0;
};

/// Requires: cut.Fits(); 1 <= cut.dimensions <= 3.
OverlapVolumes FindVolumes(const OverlapCut& cut, const std::vector<OverlapPoints>& loaded,
                           const std::vector<OverlapPoints>& computed,
                           const std::vector<OverlapPoints>& stored);

/// T fused steps of one order-k stencil over N points a dimension, as Table 3.1 has them: step t
/// computes the points that t orders lie inside the array.
/// Requires: N > 2kT; 1 <= dimensions <= 3.
struct StepChain {
  std::size_t dimensions = 3;
  std::int64_t size = 512;                           ///< N
  std::array<std::int64_t, 3> tile = {32, 32, 32};   ///< B
  int steps = 1;                                     ///< T
  int order = 1;                                     ///< k
  std::optional<std::size_t> stream = std::nullopt;  ///< sliding window; none: tiles everywhere
  std::int64_t chunk = 0;
  std::int64_t bytes = 4;
  double flops = 1;  ///< of a point
};
/// Empty where a tile has no room for the halo.
std::optional<OverlapVolumes> FindVolumes(const StepChain& chain);

/// T_mem ([S] 3.5.8): seconds to move the transactions at the bandwidth that copies reach.
double MemorySeconds(const OverlapVolumes& volumes, const machine::Gpu& device);
/// T_comp: seconds of the arithmetic at the rate that stencils reach.
double ComputeSeconds(const OverlapVolumes& volumes, const machine::Gpu& device,
                      bool double_precision);
/// T_max: the larger of the two.
double LongestSeconds(const OverlapVolumes& volumes, const machine::Gpu& device,
                      bool double_precision);

}  // namespace stencilgen::plan
