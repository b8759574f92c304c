#ifndef STENCILGEN_TILE_HPP
#define STENCILGEN_TILE_HPP

#include <cstddef>
#include <cstdint>

#include "stencilgen/cuda.hpp"

/// What kernels with tiles use, in device code that is the same on CUDA and on the emulator:
/// dynamic shared memory, accesses to several elements at once, asynchronous copies.

#if !defined(STENCILGEN_EMULATOR)
#if !defined(__HIP__)
#include <cuda_pipeline_primitives.h>
#endif

namespace stencilgen {

/// Elements in a block's shared memory.
template <typename T>
using Shared = T*;

/// True where warps have at least so many threads, as far as the compiler says how many.
template <int lanes>
constexpr bool HasWarpsOf() {
#if defined(__AMDGCN_WAVEFRONT_SIZE)
  return lanes <= __AMDGCN_WAVEFRONT_SIZE;
#elif defined(__HIP__)
  return true;
#else
  return lanes <= 32;
#endif
}

/// The block's dynamic shared memory from `byte_offset` on; its start is aligned to 16 bytes.
template <typename T>
__device__ __forceinline__ Shared<T> DynamicShared(std::size_t byte_offset = 0) {
  extern __shared__ __align__(16) unsigned char stencilgen_dynamic_shared[];
  return reinterpret_cast<T*>(stencilgen_dynamic_shared + byte_offset);
}

/// Elements that one instruction moves: 8 or 16 bytes.
template <typename T, int n>
struct alignas(n * sizeof(T)) Vector {
  static_assert(n * sizeof(T) == 8 || n * sizeof(T) == 16, "vectors are of 8 or 16 bytes");
  T element[n];
};

/// value = from[at], from[at + 1], ... by one load. Requires: from + at is aligned to its bytes.
template <int n, typename T>
__device__ __forceinline__ void LoadVector(const T* from, long long at, T (&value)[n]) {
  const Vector<T, n> vector = *reinterpret_cast<const Vector<T, n>*>(from + at);
#pragma unroll
  for (int k = 0; k < n; ++k) value[k] = vector.element[k];
}

/// to[at], to[at + 1], ... = value by one store. Requires: to + at is aligned to its bytes.
template <int n, typename T>
__device__ __forceinline__ void StoreVector(T* to, long long at, const T (&value)[n]) {
  Vector<T, n> vector;
#pragma unroll
  for (int k = 0; k < n; ++k) vector.element[k] = value[k];
  *reinterpret_cast<Vector<T, n>*>(to + at) = vector;
}

/// The value of the lane so many before the thread's own in its row of `width` lanes, its own where
/// there is none; and of the one after. Requires: all lanes of the warp come here.
template <typename T>
__device__ __forceinline__ T ShuffleUp(T value, int lanes, int width) {
#if defined(__HIP__)
  return __shfl_up(value, static_cast<unsigned>(lanes), width);
#else
  return __shfl_up_sync(0xffffffffU, value, static_cast<unsigned>(lanes), width);
#endif
}
template <typename T>
__device__ __forceinline__ T ShuffleDown(T value, int lanes, int width) {
#if defined(__HIP__)
  return __shfl_down(value, static_cast<unsigned>(lanes), width);
#else
  return __shfl_down_sync(0xffffffffU, value, static_cast<unsigned>(lanes), width);
#endif
}

#if defined(__HIP__)
// AMD's GPUs copy through registers: the copy has landed where it started.
template <int n = 1, typename T>
__device__ __forceinline__ void CopyAsync(Shared<T> to, const T* from) {
  T value[n];
  LoadVector<n>(from, 0, value);
  StoreVector<n>(to, 0, value);
}
__device__ __forceinline__ void CommitCopies() {}
template <int n>
__device__ __forceinline__ void WaitForCopies() {}
#else
/// Starts a copy of `n` elements, 4, 8 or 16 bytes in all, from global to shared memory. Requires:
/// both are aligned to that.
template <int n = 1, typename T>
__device__ __forceinline__ void CopyAsync(Shared<T> to, const T* from) {
  constexpr std::size_t kBytes = n * sizeof(T);
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "copies are of 4, 8 or 16 bytes");
  __pipeline_memcpy_async(to, from, kBytes);
}

/// Makes a group of the copies that the thread started since the last one.
__device__ __forceinline__ void CommitCopies() {
  __pipeline_commit();
}

/// Waits until the thread's own groups have landed, but for the last `n`; the other threads see
/// them after a barrier.
template <int n>
__device__ __forceinline__ void WaitForCopies() {
  static_assert(0 <= n && n <= 8, "at most 8 groups may be under way");
  __pipeline_wait_prior(n);
}
#endif

}  // namespace stencilgen
#endif

namespace stencilgen {

/// Of an element around the points of a block: its distance from the first of them.
struct RimPlace {
  int y, x;
};

/// Element n of the rim around `rows` rows of `points` points that is lo_y and hi_y rows high, lo_x
/// and hi_x points wide: rows above and below, then columns left and right of the points. With
/// corners the rows are as wide as the rim.
template <int rows, int points, int lo_y, int hi_y, int lo_x, int hi_x, bool corners>
__host__ __device__ inline RimPlace PlaceInRim(int n) {
  constexpr int kWidth = corners ? lo_x + points + hi_x : points;
  constexpr int kBegin = corners ? -lo_x : 0;
  constexpr int kAboveAndBelow = (lo_y + hi_y) * kWidth;
  constexpr int kColumns = lo_x + hi_x > 0 ? lo_x + hi_x : 1;
  if (n < kAboveAndBelow) {
    const int row = n / kWidth;
    return {row < lo_y ? row - lo_y : row - lo_y + rows, n % kWidth + kBegin};
  }
  const int column = (n - kAboveAndBelow) % kColumns;
  return {(n - kAboveAndBelow) / kColumns, column < lo_x ? column - lo_x : column - lo_x + points};
}

/// On the host: whether elements at `pointer` may be moved `bytes` at once.
inline bool IsAligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

}  // namespace stencilgen

#endif  // STENCILGEN_TILE_HPP
