#ifndef STENCILGEN_EMULATOR_MEMORY_HPP
#define STENCILGEN_EMULATOR_MEMORY_HPP

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

inline constexpr int kPoison = 0xFF;  ///< NaN as a float, -1 as an int

struct Allocation {
  std::size_t bytes = 0;
  bool freed = false;
  bool adopted = false;  ///< somebody else's
};

/// The device's memory: what is allocated, and what was.
class DeviceHeap {
 public:
  DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  ~DeviceHeap();

  /// Poisoned memory; null where there is not enough.
  void* Allocate(std::size_t bytes);
  /// Takes the caller's memory for device memory, as it is and of any size: for tests whose arrays
  /// are larger than memory, of which they touch a part.
  void Adopt(void* memory, std::size_t bytes);
  /// False where `memory` is not the start of a live allocation.
  bool Free(void* memory);
  /// The allocation, live or freed, that holds the address; sets `start`. Null where none does.
  const Allocation* Find(const void* memory, std::uintptr_t* start) const;
  /// True where all the bytes are in one live allocation.
  bool Holds(const void* memory, std::size_t bytes) const;
  std::size_t live_bytes() const { return live_bytes_; }
  std::size_t limit() const { return limit_; }

 private:
  static std::uintptr_t Address(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
  }
  void ForgetFreed(std::uintptr_t start, std::size_t bytes);

  std::map<std::uintptr_t, Allocation> allocations_;
  std::size_t live_bytes_ = 0;
  std::size_t limit_ = std::size_t{4} << 30;
};
STENCILGEN_EMULATOR_VARIABLE DeviceHeap heap;

#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION DeviceHeap::DeviceHeap() {
  if (const char* text = std::getenv("STENCILGEN_EMULATOR_MEMORY_MB")) {
    limit_ = static_cast<std::size_t>(std::strtoull(text, nullptr, 10)) << 20;
  }
}
STENCILGEN_EMULATOR_FUNCTION DeviceHeap::~DeviceHeap() {
  for (const auto& [address, allocation] : allocations_) {
    if (allocation.freed || allocation.adopted) continue;
    std::free(reinterpret_cast<void*>(address));  // NOLINT(performance-no-int-to-ptr)
  }
}
STENCILGEN_EMULATOR_FUNCTION void* DeviceHeap::Allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;
  if (bytes > limit_ - live_bytes_) return nullptr;
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, size);
  if (memory == nullptr) return nullptr;
  std::memset(memory, kPoison, size);
  ForgetFreed(Address(memory), size);
  allocations_[Address(memory)] = {bytes, false, false};
  live_bytes_ += bytes;
  return memory;
}
STENCILGEN_EMULATOR_FUNCTION void DeviceHeap::Adopt(void* memory, std::size_t bytes) {
  ForgetFreed(Address(memory), bytes);
  allocations_[Address(memory)] = {bytes, false, true};
}
STENCILGEN_EMULATOR_FUNCTION bool DeviceHeap::Free(void* memory) {
  const auto place = allocations_.find(Address(memory));
  if (place == allocations_.end() || place->second.freed || place->second.adopted) return false;
  live_bytes_ -= place->second.bytes;
  place->second.freed = true;
  std::free(memory);
  return true;
}
STENCILGEN_EMULATOR_FUNCTION const Allocation* DeviceHeap::Find(const void* memory,
                                                                std::uintptr_t* start) const {
  auto place = allocations_.upper_bound(Address(memory));
  if (place == allocations_.begin()) return nullptr;
  --place;
  // One past the end is a valid pointer, though no element.
  if (Address(memory) > place->first + place->second.bytes) return nullptr;
  *start = place->first;
  return &place->second;
}
STENCILGEN_EMULATOR_FUNCTION bool DeviceHeap::Holds(const void* memory, std::size_t bytes) const {
  std::uintptr_t start = 0;
  const Allocation* allocation = Find(memory, &start);
  return allocation != nullptr && !allocation->freed &&
         Address(memory) - start <= allocation->bytes &&
         bytes <= allocation->bytes - (Address(memory) - start);
}
STENCILGEN_EMULATOR_FUNCTION void DeviceHeap::ForgetFreed(std::uintptr_t start, std::size_t bytes) {
  auto place = allocations_.upper_bound(start);
  if (place != allocations_.begin()) --place;
  while (place != allocations_.end() && place->first < start + bytes) {
    const bool overlaps = place->first + place->second.bytes > start || place->first == start;
    place = overlaps && place->second.freed ? allocations_.erase(place) : std::next(place);
  }
}
#endif  // STENCILGEN_EMULATOR_COMPILED

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

// Where the linker puts the variables declared `__shared__`; null where there are none.
extern "C" {
extern STENCILGEN_EMULATOR_HIDDEN char __start_stencilgen_shared[] __attribute__((weak));
extern STENCILGEN_EMULATOR_HIDDEN char __stop_stencilgen_shared[] __attribute__((weak));
}

#endif  // STENCILGEN_EMULATOR_MEMORY_HPP
