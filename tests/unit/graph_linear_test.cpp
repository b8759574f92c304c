#include <limits>
#include <random>

#include "graph/linear.h"
#include "support/catch.h"

namespace stencilgen::graph {
namespace {

const LinearForm kM = LinearForm::Parameter(ParameterId{0});
const LinearForm kN = LinearForm::Parameter(ParameterId{1});
const std::vector<std::string> kNames = {"M", "N"};
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

LinearForm C(std::int64_t value) {
  return LinearForm::Constant(value);
}

TEST_CASE("linear forms add, cancel and print", "[linear]") {
  CHECK(ToString(kM - 1, kNames) == "M - 1");
  CHECK(ToString(kM * 2 + 3, kNames) == "2*M + 3");
  CHECK(ToString(C(7), kNames) == "7");
  CHECK(ToString(C(5) - kM, kNames) == "5 - M");
  CHECK(ToString(C(0) - kM - 2, kNames) == "-M - 2");
  CHECK(ToString(kN - kM * 3, kNames) == "N - 3*M");
  CHECK(kM + kN - kM == kN);
  CHECK((kM - kM).IsConstant());
  CHECK(Evaluate(kM * 2 - kN + 3, {10, 4}) == 19);
}

TEST_CASE("sums and products saturate instead of overflowing", "[linear]") {
  CHECK((C(kMax) + 1).constant == kMax);
  CHECK((C(std::numeric_limits<std::int64_t>::min()) - 1).constant ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(Evaluate(kM * kMax, {kMax, 1}) == kMax);
  CHECK(FloorDiv(std::numeric_limits<std::int64_t>::min(), -1) == kMax);
}

TEST_CASE("signs are decided for every parameter from 1 up", "[linear]") {
  CHECK(AlwaysNonNegative(kM - 1));
  CHECK_FALSE(AlwaysNonNegative(kM - 2));
  CHECK(AlwaysNonNegative(kM + kN - 2));
  CHECK_FALSE(AlwaysNonNegative(kM - kN));
  CHECK(AlwaysNegative(C(0) - kM));
  CHECK_FALSE(AlwaysNegative(C(1) - kM));
  CHECK(AlwaysNegative(C(1) - kM - kN));
}

TEST_CASE("integer division rounds down and up", "[linear]") {
  CHECK(FloorDiv(-7, 2) == -4);
  CHECK(CeilDiv(-7, 2) == -3);
  CHECK(FloorDiv(7, 2) == 3);
  CHECK(CeilDiv(7, 2) == 4);
  CHECK(FloorDiv(-6, 3) == -2);
  CHECK(CeilDiv(-6, 3) == -2);
}

TEST_CASE("a bound that another implies is dropped", "[linear]") {
  Interval interval;
  AddUpper(interval, {kM - 2, 1});
  AddUpper(interval, {kM - 3, 1});
  CHECK(interval.upper == std::vector<Bound>{{kM - 3, 1}});
  AddUpper(interval, {kM - 1, 1});
  CHECK(interval.upper == std::vector<Bound>{{kM - 3, 1}});
  AddUpper(interval, {kN - 1, 1});
  CHECK(interval.upper.size() == 2);
  AddLower(interval, {C(0), 1});
  AddLower(interval, {C(1), 1});
  AddLower(interval, {C(-4), 1});
  CHECK(interval.lower == std::vector<Bound>{{C(1), 1}});
  // kM >= 1 always, so the constant is implied.
  AddLower(interval, {kM, 1});
  CHECK(interval.lower == std::vector<Bound>{{kM, 1}});
}

TEST_CASE("bounds with divisors are reduced and compared", "[linear]") {
  Interval interval;
  AddLower(interval, {C(7), 2});  // ceil(3.5)
  CHECK(interval.lower == std::vector<Bound>{{C(4), 1}});
  AddUpper(interval, {kM * 2 - 1, 2});  // floor(M - 1/2)
  CHECK(interval.upper == std::vector<Bound>{{kM - 1, 1}});
  AddUpper(interval, {kM - 1, 2});  // (M - 1)/2 <= M - 1
  CHECK(interval.upper == std::vector<Bound>{{kM - 1, 2}});
  AddUpper(interval, {kM + 5, 3});  // neither below the other for every M
  CHECK(interval.upper.size() == 2);
  CHECK(Evaluate(interval, {12, 1}) == Range{4, 5});
  CHECK(Evaluate(interval, {3, 1}) == Range{4, 1});
  CHECK(Evaluate(interval, {3, 1}).size() == 0);
  AddUpper(interval, {kM, 3});  // below both, though M/3 > (M - 1)/2 for M = 1 and 2
  CHECK(interval.upper == std::vector<Bound>{{kM, 3}});
}

TEST_CASE("turns of a loop and of its two parts", "[linear]") {
  const Turns all{kM - 3};
  const Turns main{kM - 3, 4, false};
  const Turns rest{kM - 3, 4, true};
  for (std::int64_t m = 1; m < 20; ++m) {
    const std::int64_t count = std::max<std::int64_t>(0, m - 3);
    CHECK(Evaluate(all, {m, 1}) == count);
    CHECK(4 * Evaluate(main, {m, 1}) + Evaluate(rest, {m, 1}) == count);
    CHECK(Evaluate(rest, {m, 1}) < 4);
  }
  CHECK(ToString(all, {"M", "N"}) == "M - 3");
  CHECK(ToString(main, {"M", "N"}) == "floor((M - 3)/4)");
  CHECK(ToString(rest, {"M", "N"}) == "(M - 3) mod 4");
}

TEST_CASE("intersection does not depend on order", "[linear]") {
  Interval a, b;
  AddLower(a, {C(0), 1});
  AddUpper(a, {kM - 1, 1});
  AddLower(b, {C(2), 1});
  AddUpper(b, {kN - 3, 1});
  CHECK(Intersect(a, b) == Intersect(b, a));
  CHECK(Evaluate(Intersect(a, b), {10, 20}) == Range{2, 9});
}

TEST_CASE("containment and emptiness", "[linear]") {
  const auto make = [](LinearForm lo, LinearForm hi) {
    Interval interval;
    AddLower(interval, {std::move(lo), 1});
    AddUpper(interval, {std::move(hi), 1});
    return interval;
  };
  CHECK(AlwaysContains(make(C(0), kM - 1), make(C(1), kM - 2)));
  CHECK_FALSE(AlwaysContains(make(C(1), kM - 2), make(C(0), kM - 1)));
  CHECK_FALSE(AlwaysContains(make(C(0), kM - 1), make(C(0), kN - 1)));
  CHECK(AlwaysContains(make(C(0), C(0)), make(kM, kM - 1)));  // empty
  CHECK(AlwaysContains(Interval{}, make(C(0), kM)));
  CHECK(AlwaysEmpty(make(kM, kM - 1)));
  CHECK_FALSE(AlwaysEmpty(make(C(1), kM - 2)));  // only for M < 3
}

// Whatever the bounds, dropping some must not change the interval.
TEST_CASE("simplified intervals keep their points", "[linear]") {
  std::mt19937 random(20240501);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution(lo, hi)(random); };
  for (int round = 0; round < 400; ++round) {
    Interval simplified;
    Interval plain;
    for (int k = 0; k < 4; ++k) {
      const auto form = kM * pick(-2, 2) + kN * pick(-1, 1) + pick(-6, 6);
      const Bound bound{form, pick(1, 4)};
      if (k % 2 == 0) {
        AddLower(simplified, bound);
        plain.lower.push_back(bound);
      } else {
        AddUpper(simplified, bound);
        plain.upper.push_back(bound);
      }
    }
    for (std::int64_t m = 1; m < 8; ++m) {
      for (std::int64_t n = 1; n < 8; ++n) {
        REQUIRE(Evaluate(simplified, {m, n}) == Evaluate(plain, {m, n}));
        if (AlwaysEmpty(plain)) REQUIRE(Evaluate(plain, {m, n}).size() == 0);
      }
    }
  }
}

}  // namespace
}  // namespace stencilgen::graph
