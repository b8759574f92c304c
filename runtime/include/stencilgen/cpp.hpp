#ifndef STENCILGEN_CPP_HPP
#define STENCILGEN_CPP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__linux__)
#include <unistd.h>
#endif
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "stencilgen/math.hpp"
#include "stencilgen/scratch.hpp"
#include "stencilgen/shape.hpp"
#include "stencilgen/simd.hpp"
#include "stencilgen/status.hpp"

// Loops in parallel where there are points enough to pay for it, and vectorised; plain loops where
// OpenMP is off.
#if defined(_OPENMP)
#define STENCILGEN_PRAGMA(text) _Pragma(#text)
#define STENCILGEN_PARALLEL_FOR(points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(static) if ((points) >= 16384))
#define STENCILGEN_PARALLEL_FOR_SIMD(points) \
  STENCILGEN_PRAGMA(omp parallel for simd schedule(static) if (parallel : (points) >= 16384))
// The same, on so many threads.
#define STENCILGEN_PARALLEL_FOR_ON(threads, points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(static) num_threads(threads) if ((points) >= 16384))
#define STENCILGEN_PARALLEL_FOR_SIMD_ON(threads, points)                                     \
  STENCILGEN_PRAGMA(omp parallel for simd schedule(static) num_threads(threads) if (parallel \
                                                                                    : (points) >= 16384))
#define STENCILGEN_SIMD STENCILGEN_PRAGMA(omp simd)
#else
#define STENCILGEN_PARALLEL_FOR(points)
#define STENCILGEN_PARALLEL_FOR_SIMD(points)
#define STENCILGEN_PARALLEL_FOR_ON(threads, points)
#define STENCILGEN_PARALLEL_FOR_SIMD_ON(threads, points)
#define STENCILGEN_SIMD
#endif

namespace stencilgen {

/// The threads that share a parallel loop.
inline long long Threads() {
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

/// The bytes that the last level of caches holds. What is longer has left them before it is read
/// again.
inline std::size_t CacheBytes() {
#if defined(STENCILGEN_CACHE_BYTES)
  return STENCILGEN_CACHE_BYTES;
#else
#if defined(_SC_LEVEL3_CACHE_SIZE)
  static const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (size > 0) return static_cast<std::size_t>(size);
#endif
  return std::size_t{32} << 20;
#endif
}

/// Copies bytes past the caches, where the processor can: memory that is not read before it is
/// written saves a third of the traffic.
inline void StreamBytes(char* to, const char* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t kSize = sizeof(__m128i);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % kSize;
  const std::size_t head = std::min(bytes, past == 0 ? 0 : kSize - past);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kSize <= bytes; at += kSize) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  std::memcpy(to + at, from + at, bytes - at);
  // Others see it from here on.
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Copies bytes, in parallel from 2 MiB on: each thread the part that loops give it too.
/// Requires: they do not overlap.
inline void CopyBytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t{64} << 10;
  const long long parts = static_cast<long long>((bytes + kPart - 1) / kPart);
  const bool stream = bytes > CacheBytes();
  STENCILGEN_PARALLEL_FOR(bytes / 128)
  for (long long part = 0; part < parts; ++part) {
    const std::size_t first = static_cast<std::size_t>(part) * kPart;
    const std::size_t count = std::min(kPart, bytes - first);
    char* const target = static_cast<char*>(to) + first;
    const char* const source = static_cast<const char*>(from) + first;
    if (stream) {
      StreamBytes(target, source, count);
    } else {
      std::memcpy(target, source, count);
    }
  }
}

/// target = source, all of it. Requires: they do not overlap.
template <typename T>
void CopyAll(T* target, const T* source, const Shape& shape) {
  CopyBytes(target, source, shape.Bytes(sizeof(T)));
}

/// Arrays of one call. Their memory is kept for the thread's next ones (ScratchPool).
template <int kCapacity>
class HostMemory {
 public:
  explicit HostMemory(ErrorText& error) : error_(error) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    for (int k = 0; k < count_; ++k) ScratchPool::OfThread().Give(blocks_[k]);
  }

  void* AllocateBytes(std::size_t bytes, const char* name) {
    const Block block = ScratchPool::OfThread().Take(bytes);
    if (block.memory == nullptr) {
      error_.Fail(kOutOfMemory, "out of memory: array %s needs %zu bytes", name, bytes);
      return nullptr;
    }
    blocks_[count_++] = block;
    return block.memory;
  }

  template <typename T>
  bool Allocate(T*& array, const char* name, const Shape& shape) {
    if (!shape.Fits(sizeof(T))) {
      return error_.Fail(kOutOfMemory, "array %s is too large for any memory", name);
    }
    array = static_cast<T*>(AllocateBytes(shape.Bytes(sizeof(T)), name));
    return array != nullptr;
  }

  /// A private copy of the caller's array.
  template <typename T>
  bool Copy(T*& array, const T* source, const char* name, const Shape& shape) {
    if (!Allocate(array, name, shape)) return false;
    CopyAll(array, source, shape);
    return true;
  }

 private:
  ErrorText& error_;
  Block blocks_[kCapacity > 0 ? kCapacity : 1];
  int count_ = 0;
};

/// target = source outside the box. Each thread has the rows that loops give it too: where the
/// target is new, its memory then comes near to who works on it.
template <typename T>
void CopyOutside(T* target, const T* source, const Shape& shape, const Box& box) {
  if (shape.Bytes(1) == 0) return;
  const bool all = box.Empty();
  const Range inside = box.range[3];
  const long long columns = shape.extent[3];
  const long long left = all ? columns : Max(0LL, Min(inside.lo, columns));
  const long long right = all ? columns : Max(left, Min(inside.hi + 1, columns));
  const long long rows = shape.extent[0] * shape.extent[1] * shape.extent[2];
  STENCILGEN_PARALLEL_FOR(rows * columns / 16)
  for (long long row = 0; row < rows; ++row) {
    bool crosses = true;
    long long rest = row;
    for (int d = 2; d >= 0; --d) {
      const long long at = rest % shape.extent[d];
      crosses = crosses && box.range[d].lo <= at && at <= box.range[d].hi;
      rest /= shape.extent[d];
    }
    const long long first = row * columns;
    std::copy(source + first, source + first + (crosses ? left : columns), target + first);
    if (!crosses) continue;
    std::copy(source + first + right, source + first + columns, target + first + right);
  }
}

}  // namespace stencilgen

#endif  // STENCILGEN_CPP_HPP
