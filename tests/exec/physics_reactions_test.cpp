// Programs of suite D against what is known of their equations, of reactions and phases: solutions
// in closed form, and what is conserved. The interpreter runs them, whose agreement with all
// targets other tests check.
#include <cmath>
#include <vector>

#include "physics.h"

using namespace stencilgen::testing;

TEST_CASE("gray-scott: nothing is lost where nothing is fed") {
  Physics run("gray-scott", {{"M", 24}, {"N", 31}, {"T", 60}});
  run.SetScalar("feed", 0);
  run.SetScalar("kill", 0);
  run.Set("u", [](const auto& at) { return 0.6 + 0.2 * Bump(at); });
  run.Set("v", [](const auto& at) { return 0.4 - 0.2 * Bump(at); });
  run.Run();
  const double before = Sum(run.Input("u")) + Sum(run.Input("v"));
  CHECK(std::abs(Sum(run.Output("u")) + Sum(run.Output("v")) - before) < 1e-10 * before);
  // u is used up by v.
  CHECK(Sum(run.Output("u")) < 0.9 * Sum(run.Input("u")));
}

TEST_CASE("gray-scott: a wave without a reaction decays as it must") {
  constexpr int kLength = 30;
  constexpr int kTurns = 40;
  Physics run("gray-scott", {{"M", 8}, {"N", kLength}, {"T", kTurns}});
  const auto wave = [](const auto& at) { return std::cos(2 * kPi * at[1] / kLength); };
  run.SetScalar("feed", 0);
  run.Set("u", wave);
  run.Set("v", [](const auto&) { return 0.0; });
  run.Run();
  const double factor = 1 - 0.16 * 2 * (1 - std::cos(2 * kPi / kLength));
  CHECK(run.Error("u", [&](const auto& at) { return std::pow(factor, kTurns) * wave(at); }) <
        1e-12);
}

TEST_CASE("cahn-hilliard: mass stays, energy falls") {
  constexpr int kRows = 20;
  constexpr int kColumns = 26;
  const auto energy = [](const Numbers& c) {
    double sum = 0;
    for (int j = 0; j < kRows; ++j) {
      for (int i = 0; i < kColumns; ++i) {
        const auto at = [&](int row, int column) {
          return c[static_cast<std::size_t>((row % kRows) * kColumns + column % kColumns)];
        };
        const double well = at(j, i) * at(j, i) - 1;
        const double right = at(j, i + 1) - at(j, i);
        const double down = at(j + 1, i) - at(j, i);
        sum += 0.25 * well * well + 0.25 * (right * right + down * down);  // gamma = 0.5
      }
    }
    return sum;
  };
  double before = 1e300;
  for (const int turns : {1, 50, 100}) {
    Physics run("cahn-hilliard", {{"M", kRows}, {"N", kColumns}, {"T", turns}});
    run.Set("c", [](const auto& at) { return 0.2 + 0.3 * Bump(at); });
    run.Run();
    CHECK(std::abs(Sum(run.Output("c")) - Sum(run.Input("c"))) < 1e-10);
    CHECK(energy(run.Output("c")) < std::min(before, energy(run.Input("c"))));
    before = energy(run.Output("c"));
  }
}
