// Programs of suite D against what is known of their equations, of waves: solutions in closed
// form, and what is conserved. The interpreter runs them, whose agreement with all targets other
// tests check.
#include <cmath>
#include <vector>

#include "physics.h"

using namespace stencilgen::testing;

TEST_CASE("elastic2d: a pressure wave and a shear wave keep their shapes and have their speeds") {
  constexpr int kRows = 160;
  constexpr int kLength = 240;
  constexpr int kTurns = 100;
  static constexpr double kLambda = 0.16;
  static constexpr double kMu = 0.2;
  static constexpr double kLight =
      0.5;  // Courant numbers: sqrt(0.5*0.56) = 0.529, sqrt(0.5*0.2) = 0.316
  const auto shape = [](double x) { return std::exp(-x * x / 200); };
  for (const bool pressure : {true, false}) {
    Physics run("elastic2d", {{"M", kRows}, {"N", kLength}, {"T", kTurns}});
    const double stiff = pressure ? kLambda + 2 * kMu : kMu;
    const double courant = std::sqrt(kLight * stiff);
    for (const char* name : {"vx", "vz", "sxx", "szz", "sxz"}) {
      run.Set(name, [](const auto&) { return 0.0; });
    }
    run.Set("light", [](const auto&) { return kLight; });
    run.Set("lambda", [](const auto&) { return kLambda; });
    run.Set("mu", [](const auto&) { return kMu; });
    // To the right: stress is -(stiffness/speed) times velocity; half a cell and half a step apart.
    const double start = 80;
    run.Set(pressure ? "vx" : "vz", [&](const auto& at) { return shape(at[1] - start); });
    const double shift = pressure ? 0.5 : -0.5;
    const auto stress = [&](double factor) {
      return [&, factor](const auto& at) {
        return -factor * stiff / courant * shape(at[1] + shift - start - 0.5 * courant);
      };
    };
    if (pressure) {
      run.Set("sxx", stress(1));
      run.Set("szz", stress(kLambda / stiff));
    } else {
      run.Set("sxz", stress(1));
    }
    run.Run();
    const Numbers& v = run.Output(pressure ? "vx" : "vz");
    double worst = 0;
    for (int i = 20; i < kLength - 20; ++i) {
      const double expected = shape(i - start - courant * kTurns);
      const auto at = static_cast<std::size_t>(kRows / 2 * kLength + i);
      worst = std::max(worst, std::abs(v[at] - expected));
    }
    CHECK(worst < 0.03);
  }
}

TEST_CASE("fdtd3d: a standing wave in a box is the scheme's own, to the last digits") {
  constexpr int kCells = 12;  // of a side
  constexpr int kTurns = 57;
  constexpr double kC = 0.5;
  Physics run("fdtd3d", {{"L", 5}, {"M", kCells + 1}, {"N", kCells + 1}, {"T", kTurns}});
  for (const char* name : {"ex", "ey", "hz"}) run.Set(name, [](const auto&) { return 0.0; });
  const double wave = kPi / kCells;
  // Its frequency: sin^2(w/2) = c^2 (sin^2(kx/2) + sin^2(ky/2)).
  const double sine = kC * std::sqrt(2.0) * std::sin(wave / 2);
  const double frequency = 2 * std::asin(sine);
  const auto ez = [&](double turn) {
    return [&, turn](const auto& at) {
      return std::sin(wave * at[1]) * std::sin(wave * at[2]) * std::cos(frequency * turn);
    };
  };
  // Half a step before: h changes by c times the differences of e, and is an odd function of time.
  const double half = kC * 2 * std::sin(wave / 2) / (2 * sine) * std::sin(-frequency / 2);
  run.SetScalar("c", kC);
  run.Set("ez", ez(0));
  run.Set("hx", [&](const auto& at) {
    return -half * std::cos(wave * (at[1] + 0.5)) * std::sin(wave * at[2]);
  });
  run.Set("hy", [&](const auto& at) {
    return half * std::sin(wave * at[1]) * std::cos(wave * (at[2] + 0.5));
  });
  run.Run();
  CHECK(run.Error("ez", ez(kTurns)) < 1e-12);
  CHECK(run.Error("ex", [](const auto&) { return 0.0; }) < 1e-12);
}

TEST_CASE("acoustic2d: a standing wave is the scheme's own, to the last digits") {
  constexpr int kRows = 21;
  constexpr int kColumns = 25;
  constexpr int kTurns = 30;
  static constexpr double kCourant2 = 0.3;
  Physics run("acoustic2d", {{"M", kRows}, {"N", kColumns}, {"T", kTurns}});
  const double down = kPi / (kRows - 1);
  const double along = 2 * kPi / (kColumns - 1);
  const double sine =
      std::sqrt(kCourant2 * (std::pow(std::sin(down / 2), 2) + std::pow(std::sin(along / 2), 2)));
  const double frequency = 2 * std::asin(sine);
  const auto wave = [&](double turn) {
    return [&, turn](const auto& at) {
      return std::sin(down * at[0]) * std::sin(along * at[1]) * std::cos(frequency * turn);
    };
  };
  run.Set("now", wave(0));
  run.Set("next", wave(-1));
  run.Set("courant2", [](const auto&) { return kCourant2; });
  run.Set("sponge", [](const auto&) { return 1.0; });
  run.Run();
  CHECK(run.Error("now", wave(kTurns)) < 1e-12);
}

TEST_CASE("acoustic2d: a pulse spreads, and a sponge leaves little of it") {
  const auto loudest = [](double sponge) {
    Physics run("acoustic2d", {{"M", 41}, {"N", 41}, {"T", 120}});
    for (const char* name : {"now", "next"}) {
      run.Set(name, [](const auto& at) {
        return std::exp(-(std::pow(at[0] - 20.0, 2) + std::pow(at[1] - 20.0, 2)) / 8);
      });
    }
    run.Set("courant2", [](const auto&) { return 0.4; });
    run.Set("sponge", [&](const auto& at) {
      const int edge = std::min({at[0], at[1], 40 - at[0], 40 - at[1]});
      return edge >= 12 ? 1.0 : 1 - sponge * (12 - edge);
    });
    run.Run();
    double most = 0;
    for (const double value : run.Output("now")) most = std::max(most, std::abs(value));
    return most;
  };
  CHECK(loudest(0) > 0.05);
  CHECK(loudest(0.01) < 0.1 * loudest(0));
}
