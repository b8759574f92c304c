#ifndef STENCILGEN_HALF_HPP
#define STENCILGEN_HALF_HPP

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__) || defined(__HIP__)
#define STENCILGEN_HALF_DEVICE __host__ __device__
#else
#define STENCILGEN_HALF_DEVICE
#endif

/// Floating numbers of 16 bits as they lie in memory. Nothing is computed with them: they become
/// floats when they are read, and floats are rounded to the nearest of them, halves to the even
/// one, when they are stored. The CPU's code has no branches, so that compilers make vectors of it.
namespace stencilgen {

STENCILGEN_HALF_DEVICE inline std::uint32_t BitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
STENCILGEN_HALF_DEVICE inline float FloatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// IEEE 754's binary16: 10 bits of fraction, up to 65504.
STENCILGEN_HALF_DEVICE inline std::uint16_t HalfBits(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  const std::uint32_t bits = BitsOf(value) & 0x7fffffffU;
  const std::uint32_t sign = BitsOf(value) >> 16 & 0x8000U;
  // From 2^-14 on: the exponent's bias changes by 112, and 13 bits of the fraction are rounded
  // away.
  const std::uint32_t normal = (bits - (112U << 23) + 0xfffU + (bits >> 13 & 1U)) >> 13;
  // Below, adding 0.5 leaves the fraction of the half in the last bits, rounded.
  const std::uint32_t small = BitsOf(FloatOf(bits) + 0.5F) - BitsOf(0.5F);
  const std::uint32_t large = bits > 0x7f800000U ? 0x7e00U : 0x7c00U;  // no number, or infinity
  const std::uint32_t finite = bits < 0x38800000U ? small : normal;
  return static_cast<std::uint16_t>(sign | (bits < 0x47800000U ? finite : large));
#endif
}
STENCILGEN_HALF_DEVICE inline float FloatOfHalf(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const std::uint32_t exponent_and_fraction = (half & 0x7fffU) << 13;
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t normal = exponent_and_fraction + (112U << 23);
  // Below 2^-14 there is no implicit bit: it is added, and taken away as a number.
  const std::uint32_t small = BitsOf(FloatOf(normal + (1U << 23)) - FloatOf(113U << 23));
  const std::uint32_t finite = exponent_and_fraction < 1U << 23 ? small : normal;
  const bool large = exponent_and_fraction >= 0x7c00U << 13;
  return FloatOf(sign | (large ? exponent_and_fraction | 0x7f800000U : finite));
#endif
}

/// The upper half of a float: 7 bits of fraction, and a float's range.
STENCILGEN_HALF_DEVICE inline std::uint16_t BFloat16Bits(float value) {
  const std::uint32_t bits = BitsOf(value);
  const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  const bool number = (bits & 0x7fffffffU) <= 0x7f800000U;
  return static_cast<std::uint16_t>(number ? rounded : (bits >> 16 | 0x40U));
}
STENCILGEN_HALF_DEVICE inline float FloatOfBFloat16(std::uint16_t bits) {
  return FloatOf(static_cast<std::uint32_t>(bits) << 16);
}

/// The nearest number that a half holds.
STENCILGEN_HALF_DEVICE inline float RoundHalf(float value) {
  return FloatOfHalf(HalfBits(value));
}
/// By way of a float.
STENCILGEN_HALF_DEVICE inline double RoundHalf(double value) {
  return RoundHalf(static_cast<float>(value));
}
/// The nearest number that a bfloat16 holds.
STENCILGEN_HALF_DEVICE inline float RoundBFloat16(float value) {
  return FloatOfBFloat16(BFloat16Bits(value));
}
/// By way of a float.
STENCILGEN_HALF_DEVICE inline double RoundBFloat16(double value) {
  return RoundBFloat16(static_cast<float>(value));
}

/// An element of an array of `half`.
struct Half {
  std::uint16_t bits;
  STENCILGEN_HALF_DEVICE operator float() const { return FloatOfHalf(bits); }
  STENCILGEN_HALF_DEVICE Half& operator=(float value) {
    bits = HalfBits(value);
    return *this;
  }
};

/// An element of an array of `bfloat16`.
struct BFloat16 {
  std::uint16_t bits;
  STENCILGEN_HALF_DEVICE operator float() const { return FloatOfBFloat16(bits); }
  STENCILGEN_HALF_DEVICE BFloat16& operator=(float value) {
    bits = BFloat16Bits(value);
    return *this;
  }
};

}  // namespace stencilgen

// Their names in C and in interfaces.
using stencilgen_half = ::stencilgen::Half;
using stencilgen_bfloat16 = ::stencilgen::BFloat16;

#undef STENCILGEN_HALF_DEVICE
#endif
