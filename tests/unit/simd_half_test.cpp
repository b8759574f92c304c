#include "stencilgen/simd_half.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"

// Packs of elements of 16 bits, beside the conversions one by one, bit for bit but for the bits of
// what is no number.
namespace stencilgen {
namespace {

template <typename Element>
constexpr std::uint16_t (*kBitsOf)(float) = HalfBits;
template <>
constexpr std::uint16_t (*kBitsOf<BFloat16>)(float) = BFloat16Bits;

template <typename P>
constexpr std::size_t kWidth = static_cast<std::size_t>(P::kWidth);

template <typename P, typename Element>
void CheckLoads() {
  std::vector<Element> all(65536);
  for (std::size_t bits = 0; bits < all.size(); ++bits) {
    all[bits].bits = static_cast<std::uint16_t>(bits);
  }
  int wrong = 0;
  std::vector<float> lanes(kWidth<P>);
  // From odd places too.
  for (std::size_t from = 0; from + kWidth<P> <= all.size();
       from += from % 7 == 0 ? 1 : kWidth<P> / 2 + 1) {
    Store(lanes.data(), Load<P>(all.data() + from));
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const float one = all[from + k];
      const bool same = std::isnan(one) ? std::isnan(lanes[k]) : BitsOf(one) == BitsOf(lanes[k]);
      if (!same) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

/// All that elements hold, what lies between two of them, and bits at random.
template <typename Element>
std::vector<float> Floats() {
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    Element element;
    element.bits = static_cast<std::uint16_t>(bits);
    const float value = element;
    element.bits = static_cast<std::uint16_t>(bits + 1);
    const float middle = (value + static_cast<float>(element)) / 2;
    for (const float each : {value, middle, std::nextafter(middle, 0.0F),
                             std::nextafter(middle, std::copysign(INFINITY, middle))}) {
      floats.push_back(each);
    }
  }
  std::mt19937 random(1);
  for (int n = 0; n < 1'000'000; ++n)
    floats.push_back(FloatOf(static_cast<std::uint32_t>(random())));
  return floats;
}

template <typename P, typename Element>
void CheckStores(const std::vector<float>& floats) {
  int wrong = 0;
  std::vector<Element> lanes(kWidth<P>);
  for (std::size_t from = 0; from + kWidth<P> <= floats.size(); from += kWidth<P>) {
    Store(lanes.data(), Load<P>(floats.data() + from));
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const float value = floats[from + k];
      const std::uint16_t one = kBitsOf<Element>(value);
      if (std::isnan(value) ? !std::isnan(static_cast<float>(lanes[k])) : one != lanes[k].bits)
        ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("elements of 16 bits in packs are what they are one by one", "[simd]", Half,
                   BFloat16) {
  const std::vector<float> floats = Floats<TestType>();
  CheckLoads<Pack<float, 1>, TestType>();
  CheckLoads<Pack<float, 3>, TestType>();
  CheckStores<Pack<float, 1>, TestType>(floats);
  CheckStores<Pack<float, 2>, TestType>(floats);
}

TEST_CASE("packs are rounded to what elements hold", "[simd]") {
  using Two = Pack<float, 2>;
  std::vector<float> values(kWidth<Two>), halves(kWidth<Two>), bfloats(kWidth<Two>);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 0.1F + 1.7F * static_cast<float>(k);
  Store(halves.data(), PackRoundHalf(Load<Two>(values.data())));
  Store(bfloats.data(), PackRoundBFloat16(Load<Two>(values.data())));
  for (std::size_t k = 0; k < values.size(); ++k) {
    CHECK(halves[k] == RoundHalf(values[k]));
    CHECK(bfloats[k] == RoundBFloat16(values[k]));
  }
}

}  // namespace
}  // namespace stencilgen
