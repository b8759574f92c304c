// What the loops of real programs move to and from global memory, by plan: suite D and its kin.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "counted.h"
#include "subject.h"
#include "support/suite.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Traffic of real programs

Bytes of global memory that loads and stores ask for, a point and step, counted by the emulator in a
run of {} steps on {} x {} or {} x {} x {} points: with a kernel for each statement (`--fusion none
--shared-mem false`), and with what `stencilgen FILE` alone chooses. The programs are suite D, and
those of suite C that have several fields in a loop. Double precision. Must: each array that is read
or written moved once a step. A step of clover2d-step is a turn of its loop: two of CloverLeaf's.

| program | must | unfused | chosen | chosen to unfused | steps a kernel | kernels in the loop |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
)";
constexpr std::string_view kEnding = R"(
Made by `build/release/benchmarks/tables/real_programs_table`; with `--check
benchmarks/real_programs.md NAME...` it compares rows.
)";

constexpr std::int64_t kSteps = 8;
constexpr std::int64_t kRows = 512, kColumns = 512;              // of two dimensions
constexpr std::int64_t kPlanes = 48, kHeight = 96, kWidth = 96;  // of three

bool IsListed(const testing::Benchmark& benchmark) {
  return benchmark.suite == 'D' || benchmark.name == "fdtd2d" || benchmark.name == "swim";
}

/// Bytes a point and step.
double BytesOf(const Subject& subject) {
  const graph::Graph& graph = subject.compiled.plan.graph;
  const bool flat = graph.iterators.size() == 2;
  graph::ParameterValues sizes;
  for (const graph::Parameter& parameter : graph.parameters) {
    const auto small = subject.benchmark.small.find(parameter.name);
    sizes.push_back(parameter.name == "L"                    ? kPlanes
                    : parameter.name == "M"                  ? (flat ? kRows : kHeight)
                    : parameter.name == "N"                  ? (flat ? kColumns : kWidth)
                    : parameter.name == "T"                  ? kSteps
                    : small != subject.benchmark.small.end() ? small->second
                                                             : 1);
  }
  const driver::Counters counters = CountRun(subject, sizes);
  const std::int64_t points = flat ? kRows * kColumns : kPlanes * kHeight * kWidth;
  return static_cast<double>(counters.global_load_bytes + counters.global_store_bytes) /
         static_cast<double>(points * kSteps);
}

/// Launches of the loop with the most of them.
std::size_t KernelsInLoop(const plan::Plan& plan) {
  std::size_t most = 0;
  for (const plan::Step& step : plan.steps) {
    const auto* repeat = std::get_if<plan::Repeat>(&step);
    if (repeat == nullptr) continue;
    std::size_t launches = 0;
    for (const plan::Step& inner : repeat->body) {
      if (std::holds_alternative<plan::Launch>(inner)) ++launches;
    }
    most = std::max(most, launches);
  }
  return most;
}

std::string RowOf(const testing::Benchmark& benchmark) {
  const Subject unfused = CompileSubject(
      benchmark, false, {"--fusion", "none", "--shared-mem", "false", "--time-tile", "1"});
  const Subject chosen = CompileSubject(benchmark, false);
  const double before = BytesOf(unfused);
  const double after = BytesOf(chosen);
  const double must =
      static_cast<double>(sizeof(double)) * (benchmark.arrays_read + benchmark.arrays_written);
  return fmt::format("| {} | {:.0f} | {:.1f} | {:.1f} | {:.2f} | {} | {} |", benchmark.name, must,
                     before, after, after / before, chosen.time_tile,
                     KernelsInLoop(chosen.compiled.plan));
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  if (arguments.check.empty()) {
    fmt::print(fmt::runtime(kHeading), kSteps, kRows, kColumns, kPlanes, kHeight, kWidth);
  }
  std::vector<std::string> rows;
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    const auto& names = arguments.names;
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), benchmark.name) != names.end();
    if (!IsListed(benchmark) || !wanted) continue;
    rows.push_back(RowOf(benchmark));
    if (arguments.check.empty()) {
      fmt::print("{}\n", rows.back());
      std::fflush(stdout);
    }
  }
  if (!arguments.check.empty()) return HasRows(arguments.check, rows) ? 0 : 1;
  fmt::print("{}", kEnding);
  return 0;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
