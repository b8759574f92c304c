#ifndef STENCILGEN_EMULATOR_TILE_ACCESS_HPP
#define STENCILGEN_EMULATOR_TILE_ACCESS_HPP

#include "device_pointers.hpp"
#include "intrinsics.hpp"

/// What tile.hpp gives kernels on CUDA: the same names with the same meaning, checked and counted.

namespace stencilgen {

/// True where warps have at least so many threads.
template <int lanes>
constexpr bool HasWarpsOf() {
  return lanes <= static_cast<int>(emulator::kWarpLanes);
}

/// Elements that one instruction moves: 8 or 16 bytes.
template <typename T, int n>
struct alignas(n * sizeof(T)) Vector {
  static_assert(n * sizeof(T) == 8 || n * sizeof(T) == 16, "vectors are of 8 or 16 bytes");
  T element[n];
};

/// Counts the elements of a vector beyond the first, which its access counts.
template <typename Space>
inline void CountRest(unsigned long long emulator::Counters::*global,
                      unsigned long long emulator::Counters::*shared, int rest) {
  emulator::counters.*(std::is_same_v<Space, emulator::GlobalSpace> ? global : shared) +=
      static_cast<unsigned long long>(rest);
}

/// value = from[at], from[at + 1], ...: one load.
template <int n, typename T, typename U, typename Space>
inline void LoadVector(emulator::Pointer<U, Space> from, long long at, T (&value)[n]) {
  static_assert(std::is_same_v<std::remove_const_t<U>, T>, "vectors keep their type");
  const Vector<T, n> vector = *(from + at).template As<const Vector<T, n>>();
  for (int k = 0; k < n; ++k) value[k] = vector.element[k];
  CountRest<Space>(&emulator::Counters::global_loads, &emulator::Counters::shared_loads, n - 1);
}

/// to[at], to[at + 1], ... = value: one store.
template <int n, typename T, typename Space>
inline void StoreVector(emulator::Pointer<T, Space> to, long long at, const T (&value)[n]) {
  Vector<T, n> vector;
  for (int k = 0; k < n; ++k) vector.element[k] = value[k];
  *(to + at).template As<Vector<T, n>>() = vector;
  CountRest<Space>(&emulator::Counters::global_stores, &emulator::Counters::shared_stores, n - 1);
}

/// The value of the lane so many before the thread's own in its row of `width` lanes, its own where
/// there is none; and of the one after.
template <typename T>
inline T ShuffleUp(T value, int lanes, int width, int line = __builtin_LINE()) {
  return __shfl_up_sync(~std::uint64_t{0}, value, static_cast<unsigned>(lanes), width, line);
}
template <typename T>
inline T ShuffleDown(T value, int lanes, int width, int line = __builtin_LINE()) {
  return __shfl_down_sync(~std::uint64_t{0}, value, static_cast<unsigned>(lanes), width, line);
}

/// Starts a copy of `n` elements, 4, 8 or 16 bytes in all.
template <int n = 1, typename T, typename U>
inline void CopyAsync(Shared<T> to, Global<U> from) {
  constexpr std::size_t kBytes = n * sizeof(T);
  static_assert(std::is_same_v<std::remove_const_t<U>, T>, "copies keep their type");
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "copies are of 4, 8 or 16 bytes");
  __pipeline_memcpy_async(to, from, kBytes);
}

inline void CommitCopies() {
  __pipeline_commit();
}

/// Waits for the thread's groups of copies, but for the last `n`.
template <int n>
inline void WaitForCopies() {
  static_assert(0 <= n && n <= 8, "at most 8 groups may be under way");
  __pipeline_wait_prior(n);
}

}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_TILE_ACCESS_HPP
