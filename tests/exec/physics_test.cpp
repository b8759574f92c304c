// Programs of suite D against what is known of their equations: solutions in closed form, and what
// is conserved. The interpreter runs them, whose agreement with all targets other tests check.
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "support/catch.h"
#include "support/suite.h"

using namespace stencilgen;
using namespace stencilgen::testing;

namespace {

using Numbers = std::vector<double>;
using Sizes = std::map<std::string, std::int64_t>;
constexpr double kPi = std::numbers::pi;

/// A program of the suite, its inputs by name, and its results.
class Physics {
 public:
  Physics(const std::string& name, const Sizes& sizes) {
    const Benchmark benchmark = BenchmarkNamed(name);
    REQUIRE(benchmark.suite == 'D');
    const SourceFile source(name, benchmark.text);
    DiagnosticSink sink;
    auto graph = driver::CompileToGraph(source, {}, sink);
    REQUIRE(graph);
    graph_ = *std::move(graph);
    for (const graph::Parameter& parameter : graph_.parameters) {
      parameters_.push_back(parameter.turn ? 1 : sizes.at(parameter.name));
    }
    for (const auto& [scalar, value] : benchmark.scalars) inputs_[scalar] = Numbers{value};
  }

  void SetScalar(const std::string& name, double value) { inputs_[name] = Numbers{value}; }
  /// f(places along the dimensions, outermost first).
  void Set(const std::string& name, const std::function<double(const std::vector<int>&)>& f) {
    const std::vector<int> shape = Shape(name);
    Numbers values;
    std::vector<int> place(shape.size(), 0);
    const int count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
    for (int n = 0; n < count; ++n) {
      values.push_back(f(place));
      for (std::size_t d = shape.size(); d-- > 0;) {
        if (++place[d] < shape[d]) break;
        place[d] = 0;
      }
    }
    inputs_[name] = std::move(values);
  }
  const Numbers& Input(const std::string& name) const {
    return std::get<Numbers>(inputs_.at(name));
  }

  void Run() {
    const graph::InterpretResult result = graph::Interpret(graph_, parameters_, inputs_);
    REQUIRE(result.error.empty());
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      outputs_[graph_.arrays[graph_.outputs[i].array].name] = std::get<Numbers>(result.outputs[i]);
    }
  }
  const Numbers& Output(const std::string& name) const { return outputs_.at(name); }
  /// Largest difference of an output from f.
  double Error(const std::string& name, const std::function<double(const std::vector<int>&)>& f) {
    const Numbers result = Output(name);
    Set(name, f);
    double worst = 0;
    for (std::size_t n = 0; n < result.size(); ++n) {
      worst = std::max(worst, std::abs(result[n] - Input(name)[n]));
    }
    return worst;
  }

 private:
  std::vector<int> Shape(const std::string& name) const {
    for (const graph::Array& array : graph_.arrays) {
      if (array.local || array.name != name) continue;
      std::vector<int> shape;
      for (const auto& extent : array.extents) {
        shape.push_back(static_cast<int>(graph::Evaluate(extent, parameters_)));
      }
      return shape;
    }
    FAIL("no array " << name);
    return {};
  }

  graph::Graph graph_;
  graph::ParameterValues parameters_;
  std::map<std::string, graph::Values> inputs_;
  std::map<std::string, Numbers> outputs_;
};

double Sum(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Not symmetric, without jumps.
double Bump(const std::vector<int>& place) {
  return std::sin(0.31 * place[0]) * std::cos(0.23 * place[1]) + 0.1 * std::sin(1.7 * place[1]);
}

}  // namespace

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

TEST_CASE("shallow-water: mass and momentum stay, still water is still") {
  Physics run("shallow-water", {{"M", 22}, {"N", 27}, {"T", 30}});
  run.Set("h", [](const auto& at) { return 1 + 0.3 * Bump(at); });
  run.Set("hu", [](const auto& at) { return 0.1 + 0.1 * Bump(at); });
  run.Set("hv", [](const auto& at) { return 0.2 * Bump(at); });
  run.Run();
  for (const char* name : {"h", "hu", "hv"}) {
    CHECK(std::abs(Sum(run.Output(name)) - Sum(run.Input(name))) < 1e-10);
  }
  run.Set("h", [](const auto&) { return 2.0; });
  run.Set("hu", [](const auto&) { return 0.0; });
  run.Set("hv", [](const auto&) { return 0.0; });
  run.Run();
  CHECK(run.Error("h", [](const auto&) { return 2.0; }) == 0);
  CHECK(run.Error("hu", [](const auto&) { return 0.0; }) == 0);
}

TEST_CASE("shallow-water: a small wave travels at the square root of gravity times depth") {
  constexpr int kLength = 400;
  constexpr int kTurns = 300;
  Physics run("shallow-water", {{"M", 4}, {"N", kLength}, {"T", kTurns}});
  const auto pulse = [](double x) { return 1e-4 * std::exp(-x * x / 800); };
  const auto at_start = [&](const auto& at) { return pulse(at[1] - 120.0); };
  run.SetScalar("gravity", 4.0);
  run.SetScalar("ratio", 0.25);
  // Depth 1: speed 2; a wave that only goes towards larger i.
  run.Set("h", [&](const auto& at) { return 1 + at_start(at); });
  run.Set("hu", [&](const auto& at) { return 2 * at_start(at); });
  run.Set("hv", [](const auto&) { return 0.0; });
  run.Run();
  const Numbers& h = run.Output("h");
  const auto top = std::max_element(h.begin(), h.begin() + kLength) - h.begin();
  CHECK(std::abs(static_cast<double>(top) - (120 + 2 * 0.25 * kTurns)) <= 2);
}

TEST_CASE("lbm-d2q9: mass and momentum stay, a shear wave decays with the viscosity") {
  constexpr int kLength = 32;
  constexpr int kTurns = 100;
  Physics run("lbm-d2q9", {{"M", kLength}, {"N", 6}, {"T", kTurns}});
  const std::map<std::string, std::array<int, 2>> velocities = {
      {"f_rest", {0, 0}}, {"f_e", {1, 0}},   {"f_n", {0, 1}},    {"f_w", {-1, 0}}, {"f_s", {0, -1}},
      {"f_ne", {1, 1}},   {"f_nw", {-1, 1}}, {"f_sw", {-1, -1}}, {"f_se", {1, -1}}};
  const auto speed = [](int row) { return 0.01 * std::sin(2 * kPi * row / kLength); };
  for (const auto& [name, velocity] : velocities) {
    const auto& [along, down] = velocity;
    const int reach = along * along + down * down;
    const double weight = reach == 0 ? 4.0 / 9 : reach == 1 ? 1.0 / 9 : 1.0 / 36;
    run.Set(name, [&, along = along](const auto& at) {
      const double u = speed(at[0]);
      return weight * (1 + 3 * along * u + 4.5 * along * along * u * u - 1.5 * u * u);
    });
  }
  run.Run();
  double mass = 0;
  double momentum = 0;
  Numbers u(kLength, 0.0);
  for (const auto& [name, velocity] : velocities) {
    const Numbers& particles = run.Output(name);
    mass += Sum(particles);
    momentum += velocity[1] * Sum(particles);
    for (int row = 0; row < kLength; ++row) {
      u[static_cast<std::size_t>(row)] +=
          velocity[0] * particles[static_cast<std::size_t>(row) * 6 + 3];
    }
  }
  CHECK(std::abs(mass - kLength * 6) < 1e-9);
  CHECK(std::abs(momentum) < 1e-9);
  const double viscosity = (1 / 1.2 - 0.5) / 3;
  const double wave = 2 * kPi / kLength;
  const double decay = std::exp(-viscosity * wave * wave * kTurns);
  CHECK(decay < 0.7);
  CHECK(std::abs(u[kLength / 4] / speed(kLength / 4) - decay) < 0.01 * decay);
}

TEST_CASE("elastic2d: a pressure wave and a shear wave keep their shapes and have their speeds") {
  constexpr int kRows = 160;
  constexpr int kLength = 240;
  constexpr int kTurns = 100;
  constexpr double kLambda = 0.16;
  constexpr double kMu = 0.2;
  constexpr double kLight = 0.5;  // Courant numbers: sqrt(0.5*0.56) = 0.529, sqrt(0.5*0.2) = 0.316
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
  constexpr double kCourant2 = 0.3;
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

namespace {

/// Density at x/t of the shock tube of Sod (1978): gamma = 1.4, density and pressure 1 on the left,
/// 0.125 and 0.1 on the right, all at rest.
class ShockTube {
 public:
  ShockTube() {
    double low = 0.1, high = 1;
    for (int n = 0; n < 100; ++n) {
      pressure_ = 0.5 * (low + high);
      (Right(pressure_) > Left(pressure_) ? high : low) = pressure_;
    }
    speed_ = Left(pressure_);
  }
  double Density(double xi) const {
    const double sound = std::sqrt(kGamma);
    const double behind = std::pow(pressure_, 1 / kGamma);
    const double ratio = pressure_ / 0.1;
    const double shock =
        std::sqrt(kGamma * 0.1 / 0.125) * std::sqrt((kGamma + 1) / (2 * kGamma) * (ratio - 1) + 1);
    if (xi < -sound) return 1;
    if (xi < speed_ - std::sqrt(kGamma * pressure_ / behind)) {
      return std::pow(2 / (kGamma + 1) - (kGamma - 1) / (kGamma + 1) * xi / sound,
                      2 / (kGamma - 1));
    }
    if (xi < speed_) return behind;
    const double g = (kGamma - 1) / (kGamma + 1);
    return xi < shock ? 0.125 * (ratio + g) / (g * ratio + 1) : 0.125;
  }

 private:
  static constexpr double kGamma = 1.4;
  /// Speed of the gas behind the fan of the left, and behind the shock of the right.
  static double Left(double p) {
    return 2 * std::sqrt(kGamma) / (kGamma - 1) * (1 - std::pow(p, (kGamma - 1) / (2 * kGamma)));
  }
  static double Right(double p) {
    return (p - 0.1) * std::sqrt(2 / (0.125 * ((kGamma + 1) * p + (kGamma - 1) * 0.1)));
  }
  double pressure_ = 0, speed_ = 0;
};

/// The gas of clover2d-step in square cells of width 1/cells; `place` is along the tube.
void SetTube(Physics& run, bool along_x, int cells) {
  const double h = 1.0 / cells;
  const auto left = [&](const std::vector<int>& p) {
    return (along_x ? p[1] : p[0]) - 2 < cells / 2;
  };
  run.Set("density0", [&](auto& p) { return left(p) ? 1.0 : 0.125; });
  run.Set("energy0", [&](auto& p) { return left(p) ? 2.5 : 2.0; });
  for (const char* name : {"xvel0", "yvel0"}) run.Set(name, [](auto&) { return 0.0; });
  run.Set("volume", [&](auto&) { return h * h; });
  for (const char* name : {"xarea", "yarea", "celldx", "celldy"}) {
    run.Set(name, [&](auto&) { return h; });
  }
  run.SetScalar("elapsed", 0);
  run.SetScalar("dt_most", 0.01);
}

}  // namespace

TEST_CASE("clover2d-step: a shock tube, along x and along y") {
  constexpr int kCells = 128;
  constexpr int kAcross = 4;
  const ShockTube tube;
  for (const bool along_x : {true, false}) {
    const int m = 4 + (along_x ? kAcross : kCells);
    const int n = 4 + (along_x ? kCells : kAcross);
    Physics run("clover2d-step", {{"M", m}, {"N", n}, {"T", 25}});
    SetTube(run, along_x, kCells);
    run.Run();
    const double time = run.Output("elapsed")[0];
    CHECK(time > 0.15);
    CHECK(time < 0.25);
    double mass = 0, error = 0;
    for (int j = 2; j < m - 2; ++j) {
      for (int i = 2; i < n - 2; ++i) {
        const double density = run.Output("density0")[static_cast<std::size_t>(j * n + i)];
        const double x = ((along_x ? i : j) - 2 + 0.5) / kCells - 0.5;
        mass += density / (kCells * kAcross);
        error += std::abs(density - tube.Density(x / time)) / (kCells * kAcross);
      }
    }
    INFO("along " << (along_x ? "x" : "y") << ", time " << time << ", error " << error);
    CHECK(std::abs(mass - 0.5625) < 1e-13);
    CHECK(error < 0.0045);
    CHECK(error > 0.0001);  // the exact solution is not among the inputs
  }
}

TEST_CASE("clover2d-step: the walls reflect, from all four sides alike") {
  constexpr int kCells = 24;
  const int size = kCells + 4;
  // What a wave does that starts in one corner, from each of them: `turn_j` and `turn_i` mirror it.
  const auto density = [&](bool turn_j, bool turn_i) {
    Physics run("clover2d-step", {{"M", size}, {"N", size}, {"T", 40}});
    SetTube(run, true, kCells);
    const auto at = [&](int k, bool turn) { return turn ? size - 1 - k : k; };
    run.Set("energy0", [](auto&) { return 2.0; });
    run.Set("density0", [&](auto& p) {
      const int j = at(p[0], turn_j), i = at(p[1], turn_i);
      return j < 2 + 6 && i < 2 + 9 ? 1.0 : 0.125;
    });
    run.Run();
    std::vector<double> gas;
    for (int j = 2; j < size - 2; ++j) {
      for (int i = 2; i < size - 2; ++i) {
        gas.push_back(
            run.Output("density0")[static_cast<std::size_t>(at(j, turn_j) * size + at(i, turn_i))]);
      }
    }
    return gas;
  };
  const std::vector<double> one = density(false, false);
  const double mass = std::accumulate(one.begin(), one.end(), 0.0);
  CHECK(std::abs(mass - (54 + 0.125 * (kCells * kCells - 54))) < 1e-11);
  CHECK(one.back() > 0.15);  // the wave has come to the corner across
  for (const auto& [turn_j, turn_i] : {std::pair(false, true), {true, false}, {true, true}}) {
    const std::vector<double> other = density(turn_j, turn_i);
    double worst = 0;
    for (std::size_t n = 0; n < one.size(); ++n) {
      worst = std::max(worst, std::abs(one[n] - other[n]));
    }
    INFO(turn_j << turn_i);
    CHECK(worst < 1e-9);
  }
}
