#ifndef STENCILGEN_MATH_HPP
#define STENCILGEN_MATH_HPP

#include <climits>
#include <cmath>
#include <type_traits>

#if defined(__CUDACC__) || defined(__HIP__)
#define STENCILGEN_HOST_DEVICE __host__ __device__
#else
#define STENCILGEN_HOST_DEVICE
#endif

/// Operations of the language that C++ has not, or leaves undefined for some operands.
namespace stencilgen {

STENCILGEN_HOST_DEVICE inline int Min(int a, int b) {
  return b < a ? b : a;
}
STENCILGEN_HOST_DEVICE inline long long Min(long long a, long long b) {
  return b < a ? b : a;
}
STENCILGEN_HOST_DEVICE inline float Min(float a, float b) {
  return b < a ? b : a;
}
STENCILGEN_HOST_DEVICE inline double Min(double a, double b) {
  return b < a ? b : a;
}

STENCILGEN_HOST_DEVICE inline int Max(int a, int b) {
  return a < b ? b : a;
}
STENCILGEN_HOST_DEVICE inline long long Max(long long a, long long b) {
  return a < b ? b : a;
}
STENCILGEN_HOST_DEVICE inline float Max(float a, float b) {
  return a < b ? b : a;
}
STENCILGEN_HOST_DEVICE inline double Max(double a, double b) {
  return a < b ? b : a;
}

/// |a|; INT_MIN stays what it is.
STENCILGEN_HOST_DEVICE inline int Abs(int a) {
  return a < 0 ? static_cast<int>(0U - static_cast<unsigned>(a)) : a;
}

/// C's quotient; 0 where b is 0, and INT_MIN for INT_MIN / -1.
STENCILGEN_HOST_DEVICE inline int SafeDivide(int a, int b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int>(0U - static_cast<unsigned>(a)) : a / b;
}

/// C's remainder; 0 where b is 0.
STENCILGEN_HOST_DEVICE inline int SafeModulo(int a, int b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/// a toward zero; the nearest int where there is none, 0 for NaN.
STENCILGEN_HOST_DEVICE inline int ToInt(double a) {
  if (!(a == a)) return 0;
  if (a >= 2147483648.0) return INT_MAX;
  return a < -2147483648.0 ? INT_MIN : static_cast<int>(a);
}
STENCILGEN_HOST_DEVICE inline int ToInt(float a) {
  return ToInt(static_cast<double>(a));
}

/// a * b, rounded; never contracted into a multiply-add.
STENCILGEN_HOST_DEVICE inline double MulRn(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
#if defined(__HIP__)
#pragma clang fp contract(off)
#endif
  return a * b;
#endif
}
STENCILGEN_HOST_DEVICE inline float MulRn(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
#if defined(__HIP__)
#pragma clang fp contract(off)
#endif
  return a * b;
#endif
}

/// a / b within two units in the last place; on a GPU 0 where |b| > 2^126.
STENCILGEN_HOST_DEVICE inline float FastDivide(float a, float b) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return __fdividef(a, b);
#else
  return a / b;
#endif
}

/// 1 / sqrt(x), with one rounding or two.
STENCILGEN_HOST_DEVICE inline double ReciprocalRoot(double x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}
STENCILGEN_HOST_DEVICE inline float ReciprocalRoot(float x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return rsqrtf(x);
#else
  return 1.0F / std::sqrt(x);
#endif
}

/// The product of n factors x, from left to right; 1 for n = 0.
template <int n>
STENCILGEN_HOST_DEVICE inline double IntPower(double x) {
  double product = n == 0 ? 1.0 : x;
  for (int k = 1; k < n; ++k) product = product * x;
  return product;
}
template <int n>
STENCILGEN_HOST_DEVICE inline float IntPower(float x) {
  float product = n == 0 ? 1.0F : x;
  for (int k = 1; k < n; ++k) product = product * x;
  return product;
}
template <int n>
STENCILGEN_HOST_DEVICE inline int IntPower(int x) {
  unsigned product = n == 0 ? 1U : static_cast<unsigned>(x);
  for (int k = 1; k < n; ++k) product = product * static_cast<unsigned>(x);
  return static_cast<int>(product);
}

/// IntPower whose products are never contracted into multiply-adds.
template <int n>
STENCILGEN_HOST_DEVICE inline double IntPowerRn(double x) {
  double product = n == 0 ? 1.0 : x;
  for (int k = 1; k < n; ++k) product = MulRn(product, x);
  return product;
}
template <int n>
STENCILGEN_HOST_DEVICE inline float IntPowerRn(float x) {
  float product = n == 0 ? 1.0F : x;
  for (int k = 1; k < n; ++k) product = MulRn(product, x);
  return product;
}

/// numerator / divisor, rounded up or down. Requires: divisor >= 1.
STENCILGEN_HOST_DEVICE inline long long CeilDiv(long long numerator, long long divisor) {
  return numerator / divisor + (numerator % divisor > 0 ? 1 : 0);
}
STENCILGEN_HOST_DEVICE inline long long FloorDiv(long long numerator, long long divisor) {
  return numerator / divisor - (numerator % divisor < 0 ? 1 : 0);
}

// Boundary modes: where the element at index x of n is read. Requires: n >= 1.

template <typename Index, typename Size>
STENCILGEN_HOST_DEVICE inline bool IsInside(Index x, Size n) {
  // One comparison: g++ makes no vectors of loops that choose by the outcome of two.
  using Unsigned = std::make_unsigned_t<Index>;
  return static_cast<Unsigned>(x) < static_cast<Unsigned>(n);
}

/// The nearest element.
template <typename Index, typename Size>
STENCILGEN_HOST_DEVICE inline Index ClampIndex(Index x, Size n) {
  const Index last = static_cast<Index>(n) - 1;
  return x < 0 ? 0 : (x < last ? x : last);
}

/// x modulo n; 0 where n is not positive.
template <typename Index, typename Size>
STENCILGEN_HOST_DEVICE inline Index WrapIndex(Index x, Size n) {
  const auto size = static_cast<Index>(n);
  // Without a branch within a length of the array, where nearly all are; divisions take long.
  const Index moved = x < 0 ? x + size : (x < size ? x : x - size);
  if (moved >= 0 && moved < size) return moved;
  if (size <= 0) return 0;  // of no elements, which nobody reads
  const Index rest = x % size;
  return rest < 0 ? rest + size : rest;
}

/// Reflected with the edge repeated: -1 reads 0, n reads n - 1; the period is 2n.
template <typename Index, typename Size>
STENCILGEN_HOST_DEVICE inline Index MirrorIndex(Index x, Size n) {
  const auto size = static_cast<Index>(n);
  const Index phase = WrapIndex(x, 2 * size);
  return phase < size ? phase : 2 * size - 1 - phase;
}

/// Reflected about the edge itself: -1 reads 1, n reads n - 2; the period is 2(n - 1). Of a single
/// element that one.
template <typename Index, typename Size>
STENCILGEN_HOST_DEVICE inline Index Mirror101Index(Index x, Size n) {
  const Index last = static_cast<Index>(n) - 1;
  if (last == 0) return 0;
  const Index phase = WrapIndex(x, 2 * last);
  return phase <= last ? phase : 2 * last - phase;
}

}  // namespace stencilgen

#endif  // STENCILGEN_MATH_HPP
