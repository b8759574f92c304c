#include "suite/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "support/program_run.h"

namespace stencilgen::suite {
namespace {

constexpr std::uint64_t kSeed = 11;

/// Numbers in [lowest, 1], small integers or bits; quick, since arrays are large.
template <typename T>
void Fill(std::vector<T>* elements, double lowest, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  const double scale = (1 - lowest) / 9007199254740992.0;
  for (T& element : *elements) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    if constexpr (std::is_floating_point_v<T>) {
      element = static_cast<T>(lowest + scale * static_cast<double>(state >> 11U));
    } else {
      element = static_cast<T>(state >> (std::is_same_v<T, std::uint8_t> ? 63U : 62U));
    }
  }
}

/// The arguments of a program at full size.
class Arguments : public CallArguments {
 public:
  Arguments(const graph::Graph& graph, const Program& program) {
    graph::ParameterValues values;
    for (const graph::Parameter& parameter : graph.parameters) {
      if (parameter.name == "T") steps_ = static_cast<int>(values.size());
      const bool counts = parameter.turn || parameter.name == "T";
      values.push_back(counts ? 1 : program.sizes.at(parameter.name));
    }
    parameters.assign(values.begin(), values.end());
    std::uint64_t seed = 0;
    for (const graph::Array& array : graph.arrays) {
      if (array.local) continue;
      std::size_t count = 1;
      for (const graph::LinearForm& extent : array.extents) {
        count *= static_cast<std::size_t>(graph::Evaluate(extent, values));
      }
      graph::Values filled = graph::MakeValues(array.type, count);
      std::visit([&](auto& elements) { Fill(&elements, program.benchmark.lowest_input, ++seed); },
                 filled);
      if (array.rank() == 0) {
        const auto given = program.benchmark.scalars.find(array.name);
        if (given != program.benchmark.scalars.end()) {
          std::visit(
              [&](auto& elements) {
                elements[0] = static_cast<std::decay_t<decltype(elements[0])>>(given->second);
              },
              filled);
        }
        scalar_values_.push_back(std::move(filled));
      } else {
        // Only what a call may change is needed again.
        pristine_.push_back(array.copy_out ? filled : graph::Values{});
        working_.push_back(std::move(filled));
      }
    }
    for (graph::Values& array : working_) {
      arrays.push_back(std::visit([](auto& v) -> void* { return v.data(); }, array));
    }
    for (graph::Values& scalar : scalar_values_) {
      scalars.push_back(std::visit([](auto& v) -> const void* { return v.data(); }, scalar));
    }
  }

  /// Gives the arrays their first contents again.
  void Restore() {
    for (std::size_t n = 0; n < working_.size(); ++n) {
      if (graph::SizeOf(pristine_[n]) == 0) continue;
      std::visit(
          [&](auto& to) {
            const auto& from = std::get<std::decay_t<decltype(to)>>(pristine_[n]);
            std::copy(from.begin(), from.end(), to.begin());
          },
          working_[n]);
    }
  }
  bool iterates() const { return steps_ >= 0; }
  void SetSteps(int steps) { parameters[static_cast<std::size_t>(steps_)] = steps; }

 private:
  std::vector<graph::Values> working_, pristine_, scalar_values_;
  int steps_ = -1;
};

/// Versions of one program in turns.
class Race {
 public:
  Race(const Versions& versions, const Program& program, const Effort& effort)
      : versions_(versions), effort_(effort), arguments_(versions.graph, program) {}

  std::vector<Samples> Run() {
    const auto begin = Clock::now();
    std::vector<Samples> all(versions_.all.size());
    std::vector<std::size_t> running;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (!versions_.all[n].Runs() || !versions_.all[n].problem.empty()) continue;
      if (FindSteps(n, &all[n])) running.push_back(n);
    }
    for (int turn = 0; turn < effort_.repeats && !running.empty(); ++turn) {
      if (turn >= kLeastTurns && Since(begin) > effort_.budget) break;
      // Each version follows each other one about as often.
      for (std::size_t n = 0; n < running.size(); ++n) {
        const std::size_t place = (n + static_cast<std::size_t>(turn)) % running.size();
        const std::size_t version = running[turn % 2 == 0 ? place : running.size() - 1 - place];
        Sample(version, &all[version]);
      }
    }
    return all;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kLeastTurns = 3;
  /// Weights of the suites add up to less than one: many steps make values that are denormal.
  static constexpr int kMostSteps = 60;

  static double Since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// Seconds of a call, or of several one after the other where the program has no steps; negative
  /// where it fails.
  double Call(std::size_t n, int steps, std::string* error) {
    const Version& version = versions_.all[n];
    if (arguments_.iterates()) arguments_.SetSteps(steps);
    arguments_.Restore();
    const int calls = arguments_.iterates() ? 1 : steps;
    return RunVersion(version, arguments_, calls, effort_.cuda, *error);
  }

  /// So many steps that a sample is long enough; an even number, after which results are at home
  /// whatever the number of buffers. Warms up, too.
  bool FindSteps(std::size_t n, Samples* samples) {
    const int first = arguments_.iterates() ? 2 : 1;
    double seconds = Call(n, first, &samples->problem);
    if (seconds >= 0) seconds = Call(n, first, &samples->problem);
    if (seconds < 0) return false;
    const double step = seconds / first;
    const double wanted = std::min(effort_.sample / std::max(step, 1e-9),
                                   effort_.budget / kLeastTurns / 3 / std::max(step, 1e-9));
    const int most = arguments_.iterates() && !effort_.cuda ? kMostSteps : 100'000;
    samples->steps = std::clamp(static_cast<int>(std::ceil(wanted)), first, most);
    if (arguments_.iterates()) samples->steps += samples->steps % 2;
    return true;
  }

  void Sample(std::size_t n, Samples* samples) {
    const double seconds = Call(n, samples->steps, &samples->problem);
    if (seconds >= 0) samples->seconds.push_back(seconds / samples->steps);
  }

  const Versions& versions_;
  const Effort& effort_;
  Arguments arguments_;
};

}  // namespace

std::string CheckVersion(const Version& version, const Versions& versions, const Program& program) {
  testing::TestProgram test;
  test.name = version.function;
  test.sizes = {program.benchmark.small};
  test.lowest_input = program.benchmark.lowest_input;
  const testing::ProgramRun run = testing::PrepareRun(versions.graph, test, 0, kSeed);
  if (!run.reference.error.empty()) return run.reference.error;
  std::vector<std::vector<std::uint8_t>> memory;
  for (const testing::RunObject& array : run.arrays) memory.push_back(array.bytes);
  CallArguments arguments;
  for (std::vector<std::uint8_t>& bytes : memory) arguments.arrays.push_back(bytes.data());
  for (const testing::RunObject& scalar : run.scalars) {
    arguments.scalars.push_back(scalar.bytes.data());
  }
  arguments.parameters.assign(run.parameters.begin(), run.parameters.end());
  std::string error;
  if (RunVersion(version, arguments, 1, false, error) < 0) return error;
  for (std::size_t n = 0; n < run.arrays.size(); ++n) {
    std::string wrong = testing::Compare(run.arrays[n], memory[n], run.reference,
                                         testing::FastTolerance(versions.graph));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::vector<Samples> Measure(const Versions& versions, const Program& program,
                             const Effort& effort) {
  return Race(versions, program, effort).Run();
}

}  // namespace stencilgen::suite
