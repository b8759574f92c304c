#ifndef STENCILGEN_EMULATOR_THREAD_HPP
#define STENCILGEN_EMULATOR_THREAD_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fibers.hpp"
#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// 64 for programs that are made for AMD's wavefronts of so many.
#if defined(STENCILGEN_WARP_LANES)
inline constexpr unsigned kWarpLanes = STENCILGEN_WARP_LANES;
#else
inline constexpr unsigned kWarpLanes = 32;
#endif

/// A copy from global to shared memory under way.
struct AsyncCopy {
  char* target;
  const char* source;
  std::size_t bytes;
  std::size_t zero_fill;  ///< how many of the bytes, at the end, become zero instead
};

/// What a lane gives to a warp operation, and gets.
struct WarpRequest {
  std::uint64_t mask = 0;
  unsigned source_lane = 0;
  std::uint64_t value = 0;
  std::uint64_t result = 0;
};

struct Thread {
  enum class State : unsigned char { NotStarted, Ready, AtBarrier, AtWarpOperation, Finished };

  uint3 index = {0, 0, 0};
  unsigned warp = 0;
  unsigned lane = 0;
  State state = State::NotStarted;
  int line = 0;                  ///< where it waits
  Worker* worker = nullptr;      ///< the stack it waits on
  unsigned char yield_odds = 0;  ///< as Orderer draws them
  WarpRequest request;
  unsigned loads = 0;  ///< global ones since the last barrier
  unsigned stores = 0;
  std::vector<std::vector<AsyncCopy>> copies;  ///< groups, oldest first; the last is still open

  void Start(unsigned number, uint3 position) {
    index = position;
    warp = number / kWarpLanes;
    lane = number % kWarpLanes;
    state = State::NotStarted;
    worker = nullptr;
    loads = stores = 0;
    copies.clear();
  }
};

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_THREAD_HPP
