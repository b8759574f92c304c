#include "stencilgen/half.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.h"

// Numbers of 16 bits as the runtime has them, beside their definition: a sign, an exponent, a
// fraction, and rounding to the nearest one.
namespace stencilgen {
namespace {

/// By its definition; not for infinities and what is no number.
double ValueOf(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  const double value = std::ldexp(whole, std::max(exponent, 1) - bias - fraction_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// All finite numbers, and those between two of them: which way they go.
template <typename ToBits, typename FromBits>
void CheckAll(int exponent_bits, ToBits to_bits, FromBits from_bits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto infinity =
      static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << (15 - exponent_bits));
  int wrong = 0;
  for (const std::uint16_t sign : {std::uint16_t{0}, std::uint16_t{0x8000}}) {
    for (std::uint16_t k = 0; k < infinity; ++k) {
      const auto bits = static_cast<std::uint16_t>(sign | k);
      const float value = from_bits(bits);
      if (value != ValueOf(bits, exponent_bits) || to_bits(value) != bits) ++wrong;
      if (std::signbit(value) != (sign != 0)) ++wrong;
      // The one after the largest would be this, were there one more exponent.
      const auto next = static_cast<std::uint16_t>(bits + 1);
      const double after = ValueOf(next, exponent_bits);
      const auto middle = static_cast<float>((static_cast<double>(value) + after) / 2);
      if (std::isinf(middle)) continue;
      const std::uint16_t even = k % 2 == 0 ? bits : next;
      const float outwards = sign != 0 ? -kInfinity : kInfinity;
      if (to_bits(middle) != even) ++wrong;
      if (to_bits(std::nextafter(middle, 0.0F)) != bits) ++wrong;
      if (to_bits(std::nextafter(middle, outwards)) != next) ++wrong;
    }
    const float largest = sign != 0 ? -kInfinity : kInfinity;
    CHECK(to_bits(largest) == (sign | infinity));
    CHECK(from_bits(static_cast<std::uint16_t>(sign | infinity)) == largest);
  }
  CHECK(wrong == 0);
  CHECK(std::isnan(from_bits(to_bits(std::numeric_limits<float>::quiet_NaN()))));
  for (std::uint32_t bits = infinity + 1U; bits < 0x8000U; ++bits) {
    if (!std::isnan(from_bits(static_cast<std::uint16_t>(bits)))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("every half, and what lies between two of them") {
  CheckAll(5, HalfBits, FloatOfHalf);
  CHECK(HalfBits(1.0F) == 0x3c00);
  CHECK(HalfBits(-2.0F) == 0xc000);
  CHECK(HalfBits(65504.0F) == 0x7bff);
  CHECK(HalfBits(65519.0F) == 0x7bff);
  CHECK(HalfBits(65520.0F) == 0x7c00);
  CHECK(HalfBits(1e30F) == 0x7c00);
  CHECK(HalfBits(0x1p-24F) == 1);
  CHECK(HalfBits(0x1p-25F) == 0);
  CHECK(HalfBits(0x1.8p-25F) == 1);
  CHECK(HalfBits(-1e-30F) == 0x8000);
}

TEST_CASE("every bfloat16, and what lies between two of them") {
  CheckAll(8, BFloat16Bits, FloatOfBFloat16);
  CHECK(BFloat16Bits(1.0F) == 0x3f80);
  CHECK(BFloat16Bits(3.4e38F) == 0x7f80);
}

TEST_CASE("elements of halves are floats where they are read, and round what they are given") {
  Half half;
  half = 0.1F;
  CHECK(static_cast<float>(half) == RoundHalf(0.1F));
  CHECK(std::fabs(half - 0.1F) < 0x1p-15F);
  BFloat16 wide;
  wide = 1e30F;
  CHECK(static_cast<float>(wide) == RoundBFloat16(1e30F));
  // By way of a float: 1 + 2^-11 + 2^-40 is halfway between two halves as a float.
  CHECK(RoundHalf(1 + 0x1p-11 + 0x1p-40) == 1.0);
  static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);
}

}  // namespace
}  // namespace stencilgen
