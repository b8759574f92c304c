#ifndef STENCILGEN_OCCUPANCY_HPP
#define STENCILGEN_OCCUPANCY_HPP

#include <atomic>

#include "stencilgen/chunks.hpp"
#include "stencilgen/cuda.hpp"

namespace stencilgen {

/// What devices say about the occupancy of one kernel. Each is asked once; host threads may ask at
/// the same time. Not for a static variable of an inline function, which all libraries of a process
/// would share, whatever their kernels are.
class KernelOccupancy {
 public:
  template <typename... Parameters>
  cudaError_t Find(void (*kernel)(Parameters...), dim3 block, std::size_t shared_bytes,
                   Occupancy& found) {
    int device = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result != cudaSuccess) return result;
    const bool kept = device >= 0 && device < kDevices;
    // A multiprocessor has far fewer blocks than kMostBlocks.
    int known = kept ? known_[device].load(std::memory_order_relaxed) : 0;
    if (known == 0) {
      int count = 0;
      int blocks = 0;
      result = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
      if (result == cudaSuccess) result = AllowShared(kernel, shared_bytes);
      if (result == cudaSuccess) {
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, static_cast<int>(block.x * block.y * block.z), shared_bytes);
      }
      if (result != cudaSuccess) return result;
      known = std::max(count, 1) * kMostBlocks + std::max(blocks, 1);
      if (kept) known_[device].store(known, std::memory_order_relaxed);
    }
    found.multiprocessors = known / kMostBlocks;
    found.blocks = known % kMostBlocks;
    return cudaSuccess;
  }

 private:
  static constexpr int kDevices = 64;
  static constexpr int kMostBlocks = 1024;
  std::atomic<int> known_[kDevices] = {};  ///< multiprocessors * kMostBlocks + blocks; 0: not yet
};

}  // namespace stencilgen

#endif  // STENCILGEN_OCCUPANCY_HPP
