#ifndef STENCILGEN_EMULATOR_INTRINSICS_HPP
#define STENCILGEN_EMULATOR_INTRINSICS_HPP

// In the global namespace, as on CUDA.
#include <math.h>  // NOLINT(modernize-deprecated-headers)

#include "device_pointers.hpp"
#include "scheduler.hpp"

// CUDA's own names.
// NOLINTBEGIN(bugprone-reserved-identifier)

/// Counts floating-point operations of the thread that passes here; nothing on CUDA.
#define STENCILGEN_FLOPS(count) \
  (::stencilgen::emulator::counters.flops += static_cast<unsigned long long>(count))

inline void __syncthreads(int line = __builtin_LINE()) {
  stencilgen::emulator::scheduler.WaitAtBarrier(line);
}
inline void __syncwarp(unsigned mask = 0xffffffffU, int line = __builtin_LINE()) {
  stencilgen::emulator::scheduler.ExchangeInWarp(
      mask, stencilgen::emulator::scheduler.current().lane, 0, line);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

template <typename T>
inline T Shuffle(std::uint64_t mask, T value, unsigned source_lane, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 32 or 64 bits");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = scheduler.ExchangeInWarp(mask, source_lane, bits, line);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
inline unsigned Lane() {
  return scheduler.current().lane;
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

// Lanes come in segments of `width`; a lane whose source is outside its segment gets its own value.

template <typename T>
inline T __shfl_sync(std::uint64_t mask, T value, int source, int width = 32,
                     int line = __builtin_LINE()) {
  const unsigned low = static_cast<unsigned>(width) - 1;
  const unsigned lane =
      (stencilgen::emulator::Lane() & ~low) | (static_cast<unsigned>(source) & low);
  return stencilgen::emulator::Shuffle(mask, value, lane, line);
}
template <typename T>
inline T __shfl_up_sync(std::uint64_t mask, T value, unsigned delta, int width = 32,
                        int line = __builtin_LINE()) {
  const unsigned lane = stencilgen::emulator::Lane();
  const unsigned place = lane & (static_cast<unsigned>(width) - 1);
  return stencilgen::emulator::Shuffle(mask, value, delta <= place ? lane - delta : lane, line);
}
template <typename T>
inline T __shfl_down_sync(std::uint64_t mask, T value, unsigned delta, int width = 32,
                          int line = __builtin_LINE()) {
  const unsigned lane = stencilgen::emulator::Lane();
  const unsigned rest = ~lane & (static_cast<unsigned>(width) - 1);
  return stencilgen::emulator::Shuffle(mask, value, delta <= rest ? lane + delta : lane, line);
}
template <typename T>
inline T __shfl_xor_sync(std::uint64_t mask, T value, int lane_mask, int width = 32,
                         int line = __builtin_LINE()) {
  const unsigned lane = stencilgen::emulator::Lane();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  const unsigned last = lane | (static_cast<unsigned>(width) - 1);
  return stencilgen::emulator::Shuffle(mask, value, source <= last ? source : lane, line);
}

template <typename T>
inline std::remove_const_t<T> __ldg(stencilgen::Global<T> pointer) {
  return pointer[0];
}
template <typename T>
inline T __ldg(const T* pointer) {
  return *pointer;
}

// Copies from global to shared memory that land at the latest when the thread waits for their
// group. Other threads see them after the barrier that follows.

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// Faults where no such copy may be.
void CheckCopy(const void* from, const void* to, std::size_t bytes);
/// Of the current thread: a copy in its open group; closes that group; lets all but the last
/// `prior` closed ones land.
void StartCopy(const AsyncCopy& copy);
void CommitCopies();
void WaitForCopies(std::size_t prior);

#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION void CheckCopy(const void* from, const void* to, std::size_t bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    scheduler.Fault(cudaErrorLaunchFailure, "asynchronous copy of %zu bytes, not 4, 8 or 16",
                    bytes);
  }
  if (reinterpret_cast<std::uintptr_t>(from) % bytes != 0 ||
      reinterpret_cast<std::uintptr_t>(to) % bytes != 0) {
    scheduler.Fault(cudaErrorIllegalAddress, "misaligned asynchronous copy");
  }
}
STENCILGEN_EMULATOR_FUNCTION void Land(const AsyncCopy& copy) {
  const std::size_t read = copy.zero_fill < copy.bytes ? copy.bytes - copy.zero_fill : 0;
  if (read > 0) std::memcpy(copy.target, copy.source, read);
  std::memset(copy.target + read, 0, copy.bytes - read);
}
STENCILGEN_EMULATOR_FUNCTION void StartCopy(const AsyncCopy& copy) {
  if (orderer.CopyLandsAtOnce()) return Land(copy);
  auto& copies = scheduler.current().copies;
  if (copies.empty()) copies.emplace_back();
  copies.back().push_back(copy);
}
STENCILGEN_EMULATOR_FUNCTION void CommitCopies() {
  auto& copies = scheduler.current().copies;
  if (copies.empty()) copies.emplace_back();
  copies.emplace_back();
}
STENCILGEN_EMULATOR_FUNCTION void WaitForCopies(std::size_t prior) {
  auto& copies = scheduler.current().copies;
  while (copies.size() > prior + 1) {
    for (const AsyncCopy& copy : copies.front()) Land(copy);
    copies.erase(copies.begin());
  }
}
#endif  // STENCILGEN_EMULATOR_COMPILED

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

template <typename T, typename U>
inline void __pipeline_memcpy_async(stencilgen::Shared<T> target, stencilgen::Global<U> source,
                                    std::size_t bytes, std::size_t zero_fill = 0) {
  using namespace stencilgen::emulator;
  CheckCopy(source.get(), target.get(), bytes);
  target.CheckBytes(bytes);
  if (zero_fill < bytes) {
    source.CheckBytes(bytes - zero_fill);
    scheduler.CountGlobalLoad(source.get(), bytes - zero_fill);
  }
  SharedSpace::CountStore(target.get(), bytes);
  StartCopy({reinterpret_cast<char*>(target.get()), reinterpret_cast<const char*>(source.get()),
             bytes, zero_fill});
}
inline void __pipeline_commit() {
  stencilgen::emulator::CommitCopies();
}
/// Waits for all committed groups but the last `prior`.
inline void __pipeline_wait_prior(std::size_t prior) {
  stencilgen::emulator::WaitForCopies(prior);
}

// Arithmetic that is never contracted.

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

template <typename T>
inline T Rounded(T value) {
  asm("" : "+m"(value));  // the compiler cannot see what it would fuse
  return value;
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

inline double __dadd_rn(double a, double b) {
  return stencilgen::emulator::Rounded(a + b);
}
inline double __dsub_rn(double a, double b) {
  return stencilgen::emulator::Rounded(a - b);
}
inline double __dmul_rn(double a, double b) {
  return stencilgen::emulator::Rounded(a * b);
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __dsqrt_rn(double a) {
  return __builtin_sqrt(a);
}
inline double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float __fadd_rn(float a, float b) {
  return stencilgen::emulator::Rounded(a + b);
}
inline float __fsub_rn(float a, float b) {
  return stencilgen::emulator::Rounded(a - b);
}
inline float __fmul_rn(float a, float b) {
  return stencilgen::emulator::Rounded(a * b);
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fsqrt_rn(float a) {
  return __builtin_sqrtf(a);
}
inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double rsqrt(double a) {
  return 1.0 / __builtin_sqrt(a);
}
inline float rsqrtf(float a) {
  return 1.0F / __builtin_sqrtf(a);
}

// NOLINTEND(bugprone-reserved-identifier)

#endif  // STENCILGEN_EMULATOR_INTRINSICS_HPP
