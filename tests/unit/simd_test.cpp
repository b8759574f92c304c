#include "stencilgen/simd.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "stencilgen/math.hpp"
#include "support/catch.h"

namespace stencilgen {
namespace {

/// Values of all signs, zeros of both, and infinities.
template <typename T>
std::vector<T> SomeValues() {
  std::vector<T> values = {T(0),
                           -T(0),
                           T(1.5),
                           T(-2.25),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity()};
  for (int k = 0; k < 170; ++k) values.push_back(T((k * 37) % 41 - 20) / T(7));
  return values;
}

/// The values of a pack, lane by lane.
template <typename T, int n>
std::vector<T> Lanes(Pack<T, n> pack) {
  std::vector<T> lanes(static_cast<std::size_t>(Pack<T, n>::kWidth));
  Store(Anchor(lanes.data()), pack);
  return lanes;
}

template <typename T>
bool Same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename P, typename T>
void CheckLoadsAndStores() {
  const std::vector<T> values = SomeValues<T>();
  for (std::size_t shift = 0; shift < 20; ++shift) {
    std::vector<T> out(values.size(), T(99));
    Store(out.data() + shift, Load<P>(values.data() + 19 - shift));
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool stored = shift <= k && k < shift + static_cast<std::size_t>(P::kWidth);
      CHECK(Same(out[k], stored ? values[k + 19 - 2 * shift] : T(99)));
    }
  }
}

TEMPLATE_TEST_CASE("packs are loaded from and stored to any address", "[simd]", double, float) {
  CheckLoadsAndStores<Pack<TestType, 1>, TestType>();
  CheckLoadsAndStores<Pack<TestType, 2>, TestType>();
  CheckLoadsAndStores<Pack<TestType, 3>, TestType>();
}

/// Neighbours at distances that vectors have, and beyond them.
template <typename T, int... distances>
void CheckBeside() {
  using P = Pack<T, 1>;
  constexpr int kWidth = P::kWidth;
  const std::vector<T> values = SomeValues<T>();
  for (std::size_t at = 40; at < 60; ++at) {
    const T* from = values.data() + at;
    const auto check = [&](int distance, P pack) {
      const std::vector<T> lanes = Lanes(pack);
      for (std::size_t k = 0; k < lanes.size(); ++k) {
        CHECK(
            Same(lanes[k], values[static_cast<std::size_t>(static_cast<int>(at + k) + distance)]));
      }
    };
    const P before = Load<P>(from - kWidth);
    const P here = Load<P>(from);
    const P after = Load<P>(from + kWidth);
    (check(distances, Beside<distances>(from, before, here, after)), ...);
  }
}

TEMPLATE_TEST_CASE("neighbours of packs are what memory has there", "[simd]", double, float) {
  CheckBeside<TestType, -17, -16, -15, -9, -8, -7, -4, -3, -2, -1, 0, 1, 2, 3, 4, 7, 8, 9, 15, 16,
              17>();
}

TEMPLATE_TEST_CASE("packs are shifted together", "[simd]", double, float) {
  using P = Pack<TestType, 1>;
  constexpr int kWidth = P::kWidth;
  const std::vector<TestType> values = SomeValues<TestType>();
  const P before = Load<P>(values.data() + 40);
  const P here = Load<P>(values.data() + 3);
  const P after = Load<P>(values.data() + 20);
  const std::vector<TestType> least = Lanes(Shifted<-kWidth>(before, here, after));
  const std::vector<TestType> back = Lanes(Shifted<-1>(before, here, after));
  const std::vector<TestType> same = Lanes(Shifted<0>(before, here, after));
  const std::vector<TestType> on = Lanes(Shifted<1>(before, here, after));
  for (std::size_t k = 0; k < static_cast<std::size_t>(kWidth); ++k) {
    CHECK(Same(least[k], values[40 + k]));
    CHECK(Same(back[k], k == 0 ? values[40 + kWidth - 1] : values[3 + k - 1]));
    CHECK(Same(same[k], values[3 + k]));
    CHECK(Same(on[k], k + 1 == static_cast<std::size_t>(kWidth) ? values[20] : values[3 + k + 1]));
  }
}

template <typename P, typename T>
void CheckOperations() {
  const std::vector<T> values = SomeValues<T>();
  const Vector<T> c = Broadcast(T(0.75));
  for (std::size_t at = 0; at + 60 < values.size(); at += 3) {
    const P a = Load<P>(values.data() + at);
    P b = Load<P>(values.data() + at + 7);
    Keep(b);
    const std::vector<std::vector<T>> results = {Lanes(a + c),
                                                 Lanes(c * b),
                                                 Lanes(b - a),
                                                 Lanes(a / b),
                                                 Lanes(-a),
                                                 Lanes(PackMin(a, b)),
                                                 Lanes(PackMax(c, b)),
                                                 Lanes(PackFabs(a)),
                                                 Lanes(PackSqrt(PackFabs(b))),
                                                 Lanes(Select(a < b, a, c)),
                                                 Lanes(Select((a <= c) & (a != b), b, a)),
                                                 Lanes(Select((a >= c) | !(b == a), P(c), a)),
                                                 Lanes(MulAdd(a, c, b)),
                                                 Lanes(MulSub(c, a, b))};
    for (std::size_t k = 0; k < static_cast<std::size_t>(P::kWidth); ++k) {
      const T x = values[at + k];
      const T y = values[at + 7 + k];
      const T f = T(0.75);
      const std::vector<T> expected = {x + f,
                                       f * y,
                                       y - x,
                                       x / y,
                                       -x,
                                       Min(x, y),
                                       Max(f, y),
                                       std::fabs(x),
                                       std::sqrt(std::fabs(y)),
                                       x < y ? x : f,
                                       x <= f && x != y ? y : x,
                                       x >= f || y != x ? f : x};
      for (std::size_t n = 0; n < expected.size(); ++n) {
        CAPTURE(n, k, x, y, results[n][k], expected[n]);
        CHECK(Same(results[n][k], expected[n]));
      }
      // These may be contracted.
      for (std::size_t n = expected.size(); n < results.size(); ++n) {
        const T value = n == expected.size() ? x * f + y : y - f * x;
        const T difference = std::fabs(results[n][k] - value);
        CAPTURE(n, k, x, y, results[n][k], value);
        CHECK((Same(results[n][k], value) || difference <= std::numeric_limits<T>::epsilon() * 4));
      }
    }
  }
}

TEMPLATE_TEST_CASE("operations on packs are those on their lanes", "[simd]", double, float) {
  CheckOperations<Pack<TestType, 1>, TestType>();
  CheckOperations<Pack<TestType, 2>, TestType>();
  CheckOperations<Pack<TestType, 3>, TestType>();
}

}  // namespace
}  // namespace stencilgen
