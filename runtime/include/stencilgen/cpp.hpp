#ifndef STENCILGEN_CPP_HPP
#define STENCILGEN_CPP_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "stencilgen/math.hpp"
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

/// target = source, all of it. Requires: they do not overlap.
template <typename T>
void CopyAll(T* target, const T* source, const Shape& shape) {
  const std::size_t bytes = shape.Bytes(sizeof(T));
  if (bytes > 0) std::memcpy(target, source, bytes);
}

/// Arrays of one call; freed with it.
template <int kCapacity>
class HostMemory {
 public:
  explicit HostMemory(ErrorText& error) : error_(error) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    for (int k = 0; k < count_; ++k) ::operator delete(memory_[k], kAlignment);
  }

  void* AllocateBytes(std::size_t bytes, const char* name) {
    void* memory = ::operator new(bytes > 0 ? bytes : 1, kAlignment, std::nothrow);
    if (memory == nullptr) {
      error_.Fail(kOutOfMemory, "out of memory: array %s needs %zu bytes", name, bytes);
      return nullptr;
    }
    memory_[count_++] = memory;
    return memory;
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
  static constexpr std::align_val_t kAlignment{64};

  ErrorText& error_;
  void* memory_[kCapacity > 0 ? kCapacity : 1] = {};
  int count_ = 0;
};

/// target = source outside the box.
template <typename T>
void CopyOutside(T* target, const T* source, const Shape& shape, const Box& box) {
  for (const Box& slab : Outside(shape, box).slab) {
    if (slab.Empty()) continue;
    for (long long z = slab.range[0].lo; z <= slab.range[0].hi; ++z) {
      for (long long y = slab.range[1].lo; y <= slab.range[1].hi; ++y) {
        const long long row = (z * shape.extent[1] + y) * shape.extent[2];
        std::copy(source + row + slab.range[2].lo, source + row + slab.range[2].hi + 1,
                  target + row + slab.range[2].lo);
      }
    }
  }
}

}  // namespace stencilgen

#endif  // STENCILGEN_CPP_HPP
