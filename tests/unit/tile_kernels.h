#pragma once

#include "stencilgen/tile.hpp"

/// Kernels by hand with all that tile.hpp gives: run on the emulator, and compiled by nvcc.
namespace tile_test {

using namespace stencilgen;

inline constexpr int kRow = 32;  ///< threads a block

/// out[i] = in[i - 1] + 2 in[i] + in[i + 1] for 1 <= i < n - 1, from a tile with a halo.
template <typename T>
__global__ void ThreePoint(Global<T> out, Global<const T> in, const int n) {
  const Shared<T> tile = DynamicShared<T>(16) + 1;
  const int x = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.x) * kRow + x;
  if (at < n) tile[x] = in[at];
  if (x == 0 && at > 0) tile[-1] = in[at - 1];
  if (x == kRow - 1 && at + 1 < n) tile[kRow] = in[at + 1];
  __syncthreads();
  if (at >= 1 && at < n - 1) out[at] = tile[x - 1] + 2 * tile[x] + tile[x + 1];
}
inline constexpr std::size_t kThreePointDoubles = 2 + 1 + kRow + 1;

/// Each row: out[x] = in[x - 1] + in[x + 1], going around. One row of shared memory.
template <typename T>
__global__ void MarchOneRow(Global<T> out, Global<const T> in, const int rows) {
  const Shared<T> row = DynamicShared<T>();
  const int x = static_cast<int>(threadIdx.x);
  for (int y = 0; y < rows; ++y) {
    row[x] = in[y * kRow + x];
    __syncthreads();
    out[y * kRow + x] = row[(x + kRow - 1) % kRow] + row[(x + 1) % kRow];
    __syncthreads();
  }
}

/// The same with two rows that change places: one barrier a row.
template <typename T>
__global__ void MarchTwoRows(Global<T> out, Global<const T> in, const int rows) {
  Shared<T> now = DynamicShared<T>();
  Shared<T> other = DynamicShared<T>(kRow * sizeof(T));
  const int x = static_cast<int>(threadIdx.x);
  for (int y = 0; y < rows; ++y) {
    now[x] = in[y * kRow + x];
    __syncthreads();
    const Shared<const T> row = now;
    out[y * kRow + x] = row[(x + kRow - 1) % kRow] + row[(x + 1) % kRow];
    const Shared<T> read = now;
    now = other;
    other = read;
  }
}

/// The same again; asynchronous copies bring each row while the one before is in use.
template <typename T>
__global__ void MarchAhead(Global<T> out, Global<const T> in, const int rows) {
  Shared<T> now = DynamicShared<T>();
  Shared<T> next = now + kRow;
  const int x = static_cast<int>(threadIdx.x);
  CopyAsync(now + x, in + x);
  CommitCopies();
  for (int y = 0; y < rows; ++y) {
    if (y + 1 < rows) CopyAsync(next + x, in + ((y + 1) * kRow + x));
    CommitCopies();
    WaitForCopies<1>();
    __syncthreads();
    out[y * kRow + x] = now[(x + kRow - 1) % kRow] + now[(x + 1) % kRow];
    __syncthreads();
    const Shared<T> read = now;
    now = next;
    next = read;
  }
}

/// out = 2 in, `each` elements a thread, through shared memory; n is a multiple of `each`.
template <typename T, int each>
__global__ void Twice(Global<T> out, Global<const T> in, const long long n) {
  const long long at = (static_cast<long long>(blockIdx.x) * kRow + threadIdx.x) * each;
  const Shared<T> own = DynamicShared<T>() + threadIdx.x * each;
  if (at >= n) return;
  T value[each];
  LoadVector<each>(in, at, value);
  for (int k = 0; k < each; ++k) value[k] += value[k];
  StoreVector(own, 0, value);
  T again[each];
  LoadVector(own, 0, again);
  StoreVector<each>(out, at, again);
}

/// out = in, `each` elements a thread, by asynchronous copies.
template <typename T, int each>
__global__ void CopyVectors(Global<T> out, Global<const T> in) {
  const long long at = static_cast<long long>(threadIdx.x) * each;
  const Shared<T> tile = DynamicShared<T>();
  CopyAsync<each>(tile + at, in + at);
  CommitCopies();
  WaitForCopies<0>();
  T value[each];
  LoadVector<each>(tile, at, value);
  StoreVector<each>(out, at, value);
}

/// The last element of the block's `elements` of shared memory.
template <typename T>
__global__ void LastShared(Global<T> out, const int elements) {
  const Shared<T> all = DynamicShared<T>();
  all[elements - 1] = static_cast<T>(elements);
  out[0] = all[elements - 1];
}

/// Adds one for each thread, which is a race. What is left in the end: at least 1.
template <typename T>
__global__ void CountThreads(Global<T> out) {
  const Shared<T> count = DynamicShared<T>();
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  count[0] += 1;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count[0];
}

}  // namespace tile_test
