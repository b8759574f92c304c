#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/host_library.h"

namespace stencilgen::driver {

/// What the emulator counted in one call of the host function.
struct Counters {
  std::uint64_t global_load_bytes = 0;
  std::uint64_t global_store_bytes = 0;
  std::uint64_t global_load_sectors = 0;   ///< of 32 bytes
  std::uint64_t global_store_sectors = 0;  ///< of 32 bytes
  std::uint64_t shared_loads = 0;
  std::uint64_t shared_stores = 0;
  std::uint64_t barriers = 0;
  std::uint64_t flops = 0;
  std::uint64_t launches = 0;
};

/// The order in which the emulator runs the threads between barriers.
enum class ThreadOrder { Forward, Backward, Random };

/// The emulator inside a library built for Backend::CudaEmulated.
class EmulatorControl {
 public:
  explicit EmulatorControl(const HostLibrary& library) : library_(library) {}
  /// All counters to zero.
  void Reset() const;
  Counters Read() const;
  void SetOrder(ThreadOrder order, unsigned seed) const;
  /// What the device runs at a time: multiprocessors, and blocks of each (0: as many as fit). For
  /// kernels that have not asked yet.
  void SetOccupancy(int multiprocessors, int blocks) const;
  /// The source lines of the `__syncthreads` that blocks passed since Reset, ascending.
  std::vector<int> BarrierLines() const;
  /// Every `__syncthreads` on this line does nothing; 0: all wait again.
  void DropBarrier(int line) const;
  /// Why the last runtime call that failed did.
  std::string Message() const;

 private:
  const HostLibrary& library_;
};

}  // namespace stencilgen::driver
