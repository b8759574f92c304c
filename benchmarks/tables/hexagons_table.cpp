// What time loops move and compute again in overlapped tiles and in hexagons of equal depth.
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
    R"(# Hexagons beside overlapped tiles

Bytes of global memory that loads and stores ask for, a point and step, and arithmetic beside what
the loop needs, counted by the emulator in a run of {} steps on {} x {} or {} x {} x {} points in
double precision: with overlapped tiles of so many steps (`--time-tile N`, else as chosen), and with
hexagons of as many (`--shape hexagon --time-tile N`). Each reads or writes every array at least
once a tile. The grids are small, so that halos and edges count for more than on large ones.

| program | steps a tile | bytes, overlapped | bytes, hexagons | arithmetic, overlapped | arithmetic, hexagons |
| --- | ---: | ---: | ---: | ---: | ---: |
)";
constexpr std::string_view kEnding = R"(
Made by `build/release/benchmarks/tables/hexagons_table`; with `--check benchmarks/hexagons.md
NAME...` it compares rows.
)";

constexpr std::int64_t kSteps = 16;
constexpr std::int64_t kRows = 256, kColumns = 256;              // of two dimensions
constexpr std::int64_t kPlanes = 48, kHeight = 48, kWidth = 64;  // of three

/// The programs of Grosser et al., RR-8339, section 6, that the suites have, and others of their
/// kind: stars and boxes, a square root, several statements a step.
struct Listed {
  std::string name;
  bool flat = true;  ///< of two dimensions, not three
};
const std::vector<Listed> kPrograms = {{"star2d1r"},   {"star2d3r"},   {"gradient"},
                                       {"fdtd2d"},     {"acoustic2d"}, {"star3d1r", false},
                                       {"heat", false}};

driver::Counters Count(const testing::Benchmark& benchmark, bool flat,
                       const std::vector<std::string>& options) {
  const Subject subject = CompileSubject(benchmark, false, options);
  graph::ParameterValues sizes;
  for (const graph::Parameter& parameter : subject.compiled.plan.graph.parameters) {
    sizes.push_back(parameter.name == "L"   ? kPlanes
                    : parameter.name == "M" ? (flat ? kRows : kHeight)
                    : parameter.name == "N" ? (flat ? kColumns : kWidth)
                    : parameter.name == "T" ? kSteps
                                            : 1);
  }
  return CountRun(subject, sizes);
}

std::string RowOf(const testing::Benchmark& benchmark, bool flat, int steps) {
  const std::string tile = fmt::format("{}", steps);
  const driver::Counters plain =
      Count(benchmark, flat, {"--fusion", "none", "--shared-mem", "false", "--time-tile", "1"});
  const driver::Counters overlapped = Count(benchmark, flat, {"--time-tile", tile});
  const driver::Counters hexagons =
      Count(benchmark, flat, {"--shape", "hexagon", "--time-tile", tile});
  const auto points =
      static_cast<double>(kSteps * (flat ? kRows * kColumns : kPlanes * kHeight * kWidth));
  const auto bytes = [&](const driver::Counters& counters) {
    return static_cast<double>(counters.global_load_bytes + counters.global_store_bytes) / points;
  };
  const auto again = [&](const driver::Counters& counters) {
    return static_cast<double>(counters.flops) / static_cast<double>(plain.flops);
  };
  return fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.3f} | {:.3f} |", benchmark.name, steps,
                     bytes(overlapped), bytes(hexagons), again(overlapped), again(hexagons));
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  if (arguments.check.empty()) {
    fmt::print(fmt::runtime(kHeading), kSteps, kRows, kColumns, kPlanes, kHeight, kWidth);
  }
  std::vector<std::string> rows;
  for (const auto& [name, flat] : kPrograms) {
    const auto& names = arguments.names;
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const testing::Benchmark benchmark = testing::BenchmarkNamed(name);
    for (const int steps : flat ? std::vector{4, 8} : std::vector{2, 4}) {
      rows.push_back(RowOf(benchmark, flat, steps));
      if (!arguments.check.empty()) continue;
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
