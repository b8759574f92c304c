#ifndef STENCILGEN_EMULATOR_DEVICE_SIZE_HPP
#define STENCILGEN_EMULATOR_DEVICE_SIZE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

inline constexpr int kSharedBytesOfMultiprocessor = 228 << 10;
inline constexpr int kThreadsOfMultiprocessor = 2048;

/// How much runs at a time on the device that the emulator stands in for, as it says. The
/// environment may set it: STENCILGEN_EMULATOR_OCCUPANCY=132x4 has 132 multiprocessors, of 4 blocks
/// each, whatever kernel it is.
class DeviceSize {
 public:
  DeviceSize() {
    const char* text = std::getenv("STENCILGEN_EMULATOR_OCCUPANCY");
    if (text == nullptr) return;
    char* rest = nullptr;
    const int multiprocessors = static_cast<int>(std::strtol(text, &rest, 10));
    Set(multiprocessors, *rest == 'x' ? static_cast<int>(std::strtol(rest + 1, nullptr, 10)) : 0);
  }
  /// `blocks` of a multiprocessor; 0: as many as have threads and shared memory, whose registers
  /// nobody knows.
  void Set(int multiprocessors, int blocks) {
    multiprocessors_ = std::max(multiprocessors, 1);
    blocks_ = std::max(blocks, 0);
  }
  int multiprocessors() const { return multiprocessors_; }
  int Blocks(int threads, std::size_t shared_bytes) const {
    constexpr int kMost = 32;
    constexpr std::size_t kReserved = 1024;  // shared memory of each block
    if (blocks_ > 0) return blocks_;
    const auto by_memory =
        static_cast<int>(kSharedBytesOfMultiprocessor / (shared_bytes + kReserved));
    return std::min({kMost, kThreadsOfMultiprocessor / std::max(threads, 1), by_memory});
  }

 private:
  int multiprocessors_ = 132;
  int blocks_ = 0;
};
STENCILGEN_EMULATOR_VARIABLE DeviceSize device_size;

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_DEVICE_SIZE_HPP
