#ifndef STENCILGEN_SIMD_HALF_HPP
#define STENCILGEN_SIMD_HALF_HPP

#include "stencilgen/half.hpp"
#include "stencilgen/simd.hpp"

#if STENCILGEN_VECTORS && defined(__F16C__)
#include <immintrin.h>
#endif

/// Packs of floats from and to elements of 16 bits: with the machine's own conversions of halves
/// where it has them, which give the bits that half.hpp gives for all numbers. What is no number
/// keeps more of its bits.
namespace stencilgen {

#if !STENCILGEN_VECTORS

template <typename Element>
STENCILGEN_INLINE float FloatsOf(const Element* from) {
  return *from;
}
template <typename Element>
STENCILGEN_INLINE void StoreFloats(Element* to, float value) {
  *to = value;
}

#else

using VectorBits __attribute__((vector_size(STENCILGEN_VECTOR_BYTES))) = std::uint32_t;
using HalvesBits __attribute__((vector_size(STENCILGEN_VECTOR_BYTES / 2))) = std::uint16_t;

/// The bits of kLanes<float> elements, each in the lower half of a lane.
STENCILGEN_INLINE VectorBits LoadBits(const void* from) {
  HalvesBits elements;
  std::memcpy(&elements, from, sizeof elements);
  return __builtin_convertvector(elements, VectorBits);
}
STENCILGEN_INLINE void StoreBits(void* to, VectorBits bits) {
  const HalvesBits elements = __builtin_convertvector(bits, HalvesBits);
  std::memcpy(to, &elements, sizeof elements);
}
STENCILGEN_INLINE VectorBits BitsOf(Vector<float> values) {
  return reinterpret_cast<VectorBits>(values);
}
STENCILGEN_INLINE Vector<float> FloatOf(VectorBits bits) {
  return reinterpret_cast<Vector<float>>(bits);
}
template <typename Mask>
STENCILGEN_INLINE VectorBits Choose(Mask where, VectorBits a, VectorBits b) {
  const auto mask = reinterpret_cast<VectorBits>(where);
  return (mask & a) | (~mask & b);
}

// FloatOfHalf and HalfBits of each lane.
STENCILGEN_INLINE Vector<float> FloatsOfHalves(VectorBits half) {
  const VectorBits exponent_and_fraction = (half & 0x7fffU) << 13;
  const VectorBits sign = (half & 0x8000U) << 16;
  const VectorBits normal = exponent_and_fraction + (112U << 23);
  const VectorBits small =
      BitsOf(FloatOf(normal + (1U << 23)) - FloatOf(VectorBits{} + (113U << 23)));
  const VectorBits finite = Choose(exponent_and_fraction < 1U << 23, small, normal);
  const VectorBits large = exponent_and_fraction | 0x7f800000U;
  return FloatOf(sign | Choose(exponent_and_fraction >= 0x7c00U << 13, large, finite));
}
STENCILGEN_INLINE VectorBits HalvesOf(Vector<float> values) {
  const VectorBits bits = BitsOf(values) & 0x7fffffffU;
  const VectorBits sign = BitsOf(values) >> 16 & 0x8000U;
  const VectorBits normal = (bits - (112U << 23) + 0xfffU + (bits >> 13 & 1U)) >> 13;
  const VectorBits small = BitsOf(FloatOf(bits) + 0.5F) - BitsOf(0.5F);
  const VectorBits large =
      Choose(bits > 0x7f800000U, VectorBits{} + 0x7e00U, VectorBits{} + 0x7c00U);
  const VectorBits finite = Choose(bits < 0x38800000U, small, normal);
  return sign | Choose(bits < 0x47800000U, finite, large);
}

/// kLanes<float> elements as floats.
STENCILGEN_INLINE Vector<float> FloatsOf(const Half* from) {
#if defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 64
  return _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 32
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#elif defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 16
  return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
#else
  return FloatsOfHalves(LoadBits(from));
#endif
}
STENCILGEN_INLINE Vector<float> FloatsOf(const BFloat16* from) {
  return FloatOf(LoadBits(from) << 16);
}

/// Rounds kLanes<float> floats to elements.
STENCILGEN_INLINE void StoreFloats(Half* to, Vector<float> vector) {
#if defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 64
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_maskz_cvtps_ph(0xffff, vector, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 32
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__) && STENCILGEN_VECTOR_BYTES == 16
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_cvtps_ph(vector, _MM_FROUND_TO_NEAREST_INT));
#else
  StoreBits(to, HalvesOf(vector));
#endif
}
STENCILGEN_INLINE void StoreFloats(BFloat16* to, Vector<float> vector) {
  const VectorBits bits = BitsOf(vector);
  const VectorBits rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
  const VectorBits kept = bits >> 16 | 0x40U;  // of what is no number
  StoreBits(to, Choose((bits & 0x7fffffffU) <= 0x7f800000U, rounded, kept));
}

#endif

/// The nearest numbers that elements hold, as pack.
template <typename Element, int n>
STENCILGEN_INLINE Pack<float, n> Nearest(Pack<float, n> pack) {
  Element elements[kLanes<float>];
  StoreFloats(elements, pack.first);
  pack.first = FloatsOf(elements);
  if constexpr (n > 1) pack.rest = Nearest<Element>(pack.rest);
  return pack;
}
template <int n>
STENCILGEN_INLINE Pack<float, n> PackRoundHalf(Pack<float, n> pack) {
  return Nearest<Half>(pack);
}
template <int n>
STENCILGEN_INLINE Pack<float, n> PackRoundBFloat16(Pack<float, n> pack) {
  return Nearest<BFloat16>(pack);
}

template <typename Element, int n>
STENCILGEN_INLINE void LoadFloats(const Element* from, Pack<float, n>& pack) {
  pack.first = FloatsOf(from);
  if constexpr (n > 1) LoadFloats(from + kLanes<float>, pack.rest);
}
template <typename P>
STENCILGEN_INLINE P Load(const Half* from) {
  P pack;
  LoadFloats(from, pack);
  return pack;
}
template <typename P>
STENCILGEN_INLINE P Load(const BFloat16* from) {
  P pack;
  LoadFloats(from, pack);
  return pack;
}
template <int n>
STENCILGEN_INLINE void Store(Half* to, Pack<float, n> pack) {
  StoreFloats(to, pack.first);
  if constexpr (n > 1) Store(to + kLanes<float>, pack.rest);
}
template <int n>
STENCILGEN_INLINE void Store(BFloat16* to, Pack<float, n> pack) {
  StoreFloats(to, pack.first);
  if constexpr (n > 1) Store(to + kLanes<float>, pack.rest);
}

}  // namespace stencilgen

#endif
