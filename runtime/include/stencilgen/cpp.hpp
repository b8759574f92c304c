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

// So many turns of a loop at once. GCC takes vectors of 32 bytes by itself where there are some of
// 64, and loops over what caches hold are up to a fifth slower then; Clang would take two of 32 for
// one of 64, which is slower than one of 32.
#if STENCILGEN_VECTORS && defined(__AVX512F__) && !defined(__clang__)
#define STENCILGEN_LANES(lanes) simdlen(lanes)
#else
#define STENCILGEN_LANES(lanes)
#endif
// Loops in parallel where there are points enough to pay for it, and vectorised; plain loops where
// OpenMP is off.
#if defined(_OPENMP)
#define STENCILGEN_PRAGMA(text) STENCILGEN_PRAGMA_TEXT(text)
#define STENCILGEN_PRAGMA_TEXT(text) _Pragma(#text)
#define STENCILGEN_PARALLEL_FOR(points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(static) if ((points) >= 16384))
#define STENCILGEN_PARALLEL_FOR_SIMD(lanes, points)                                             \
  STENCILGEN_PRAGMA(omp parallel for simd STENCILGEN_LANES(lanes) schedule(static) if (parallel \
                                                                                      : (points) >= 16384))
// The same over tiles that are not all of one size: a thread that is done takes the next one.
#define STENCILGEN_PARALLEL_TILES(points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(dynamic) if ((points) >= 16384))
// The same, on so many threads.
#define STENCILGEN_PARALLEL_TILES_ON(threads, points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(dynamic) num_threads(threads) if ((points) >= 16384))
#define STENCILGEN_PARALLEL_FOR_ON(threads, points) \
  STENCILGEN_PRAGMA(omp parallel for schedule(static) num_threads(threads) if ((points) >= 16384))
#define STENCILGEN_PARALLEL_FOR_SIMD_ON(lanes, threads, points)                                 \
  STENCILGEN_PRAGMA(omp parallel for simd STENCILGEN_LANES(lanes) schedule(static) num_threads( \
      threads) if (parallel : (points) >= 16384))
#define STENCILGEN_SIMD(lanes) STENCILGEN_PRAGMA(omp simd STENCILGEN_LANES(lanes))
#else
#define STENCILGEN_PARALLEL_FOR(points)
#define STENCILGEN_PARALLEL_FOR_SIMD(lanes, points)
#define STENCILGEN_PARALLEL_TILES(points)
#define STENCILGEN_PARALLEL_TILES_ON(threads, points)
#define STENCILGEN_PARALLEL_FOR_ON(threads, points)
#define STENCILGEN_PARALLEL_FOR_SIMD_ON(lanes, threads, points)
#define STENCILGEN_SIMD(lanes)
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
  static const long kSize = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (kSize > 0) return static_cast<std::size_t>(kSize);
#endif
  return std::size_t{32} << 20;
#endif
}

/// The bytes of the cache that a core has for itself.
inline long long CoreCacheBytes() {
#if defined(STENCILGEN_CORE_CACHE_BYTES)
  return STENCILGEN_CORE_CACHE_BYTES;
#else
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const long kSize = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (kSize > 0) return kSize;
#endif
  return 1LL << 20;
#endif
}

/// Of a line of the caches.
constexpr std::size_t kLineBytes = 64;

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

/// Stores a line of the caches past them: it is not read before. `to + at` begins a line; others
/// see what it has after FenceStores.
template <typename T, int n>
inline void StoreVector(T* to, long long at, const T (&line)[n]) {
  static_assert(sizeof line == kLineBytes, "a whole line");
#if defined(__SSE2__)
  for (std::size_t k = 0; k < n; k += sizeof(__m128i) / sizeof(T)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + k),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + k)));
  }
#else
  std::memcpy(to + at, line, sizeof line);
#endif
}

/// What the thread has stored past the caches is there for others from here on.
inline void FenceStores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// True where arrays of so many bytes have left the caches before they are used again.
inline bool PastCaches(long long bytes) {
  return static_cast<unsigned long long>(bytes) > CacheBytes();
}

/// Of the vectors that compilers make of loops, at most.
#if defined(__AVX512F__)
constexpr std::size_t kVectorBytes = 64;
#else
constexpr std::size_t kVectorBytes = 32;
#endif

/// How many elements from the address on lie before a multiple of so many bytes.
template <typename T>
inline long long ElementsToMultiple(const T* address, std::size_t bytes) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(address) % bytes;
  return past == 0 ? 0 : static_cast<long long>((bytes - past) / sizeof(T));
}
/// How many elements from the address on lie before a line of the caches begins.
template <typename T>
inline long long ElementsToLine(const T* address) {
  return ElementsToMultiple(address, kLineBytes);
}
/// How many elements from the address on lie before one where vectors are aligned.
template <typename T>
inline long long ElementsToVector(const T* address) {
  return ElementsToMultiple(address, kVectorBytes);
}

/// Rows of a tile that caches hold until they are read again: of planes with so many rows, whose
/// rows have `row_bytes` in all, with `rim_bytes` around a tile. A point reads so many planes: of
/// few, the last level of caches gives as fast as memory does.
inline long long TileRows(long long rows, long long row_bytes, long long rim_bytes,
                          long long planes) {
  constexpr long long kLeastRows = 8;
  constexpr long long kManyPlanes = 6;
  // Machines are shared: of what the last level has, a core gets so much at most.
  constexpr long long kMostOfCore = 8LL << 20;
  const long long last = std::min(static_cast<long long>(CacheBytes()) / Threads(), kMostOfCore);
  // What else passes through takes the other half.
  for (const long long cache : {planes < kManyPlanes ? 0 : CoreCacheBytes() / 2, last / 2}) {
    if (rows * row_bytes + rim_bytes <= cache) return rows;
    const long long fitting = (cache - rim_bytes) / row_bytes;
    if (fitting < kLeastRows) continue;
    const long long tiles = (rows + fitting - 1) / fitting;
    return (rows + tiles - 1) / tiles;
  }
  return std::max(rows, 1LL);
}

/// Copies bytes, in parallel from 2 MiB on: each thread the part that loops give it too.
/// Requires: they do not overlap.
inline void CopyBytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t{64} << 10;
  const auto parts = static_cast<long long>((bytes + kPart - 1) / kPart);
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
///
/// They begin as far behind a line of the caches as `beside`, an array of the caller's, so that
/// what is aligned in one of them is in all; and each at another place of its page than that and
/// the others: a load waits for a store just before it at the same place of any page.
template <int capacity>
class HostMemory {
 public:
  explicit HostMemory(ErrorText& error, const void* beside = nullptr)
      : error_(error), beside_(reinterpret_cast<std::uintptr_t>(beside) / kAlign * kAlign) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    for (int k = 0; k < count_; ++k) ScratchPool::OfThread().Give(blocks_[k]);
  }

  void* AllocateBytes(std::size_t bytes, const char* name) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kBetween = kPage / (kPlaces + 1) / kLineBytes * kLineBytes;
    if (bytes > SIZE_MAX - kPage) return Fail(name, bytes);
    const Block block = ScratchPool::OfThread().Take(bytes + kPage);
    if (block.memory == nullptr) return Fail(name, bytes);
    blocks_[count_++] = block;
    const std::size_t place = static_cast<std::size_t>((count_ - 1) % kPlaces + 1) * kBetween;
    const auto begin = reinterpret_cast<std::uintptr_t>(block.memory);
    return static_cast<char*>(block.memory) + (beside_ + place - begin) % kPage;
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
  void* Fail(const char* name, std::size_t bytes) {
    error_.Fail(kOutOfMemory, "out of memory: array %s needs %zu bytes", name, bytes);
    return nullptr;
  }

  static constexpr std::uintptr_t kAlign = 16;  // of any element
  /// Of a page, at which arrays begin in turns.
  static constexpr int kPlaces = capacity < 1 ? 1 : capacity < 15 ? capacity : 15;

  ErrorText& error_;
  const std::uintptr_t beside_;
  Block blocks_[capacity > 0 ? capacity : 1];
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
