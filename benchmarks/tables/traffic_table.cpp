// What suite A moves to and from global memory, counted on the emulator, beside what it must.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "counted.h"
#include "subject.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Traffic of suite A

Bytes of global memory that a step moves for each point, counted by the emulator: those that loads
and stores ask for, and the 32-byte sectors that each warp's instructions touch. Must: each array
that the program reads or writes moved once in the T steps that a kernel fuses. All launches of a
run of four steps are counted, the copies of elements outside a domain too. Double precision,
{}; hypterm is not iterated.

| program | plan of the largest kernel | T | loaded | stored | in sectors | must | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
Ratio: loaded and stored to must. Made by `build/release/benchmarks/tables/traffic_table`; with
`--check benchmarks/traffic.md NAME...` it compares rows.
)";

constexpr std::array<const char*, 4> kBounded = {"j2d5pt", "gaussian", "j3d7pt", "j3d27pt"};
constexpr double kMostRatio = 1.35;

constexpr std::int64_t kRows = 2048, kColumns = 2048;              // of two dimensions
constexpr std::int64_t kPlanes = 96, kHeight = 192, kWidth = 192;  // of three

graph::ParameterValues MeasuredSizes(const graph::Graph& graph) {
  const bool flat = graph.iterators.size() == 2;
  graph::ParameterValues values;
  for (const graph::Parameter& parameter : graph.parameters) {
    values.push_back(parameter.name == "L"   ? kPlanes
                     : parameter.name == "M" ? (flat ? kRows : kHeight)
                     : parameter.name == "N" ? (flat ? kColumns : kWidth)
                                             : parameter.default_value.value_or(1));
  }
  return values;
}

/// The kernel of the most operators, the first of several.
const plan::Kernel& LargestKernel(const plan::Plan& plan) {
  const plan::Kernel* largest = &*plan.kernels.begin();
  for (const plan::Kernel& kernel : plan.kernels) {
    if (kernel.ops.size() > largest->ops.size()) largest = &kernel;
  }
  return *largest;
}

struct Row {
  std::string text;
  bool within = true;
};

Row RowOf(const Subject& subject) {
  constexpr double kSector = 32;
  const bool flat = subject.benchmark.full.count("L") == 0;
  const bool iterated = subject.benchmark.full.count("T") > 0;
  const auto points = static_cast<double>(flat ? kRows * kColumns : kPlanes * kHeight * kWidth);
  const double point_steps =
      points * static_cast<double>(iterated ? subject.benchmark.full.at("T") : 1);
  const int fused = iterated ? subject.time_tile : 1;
  const driver::Counters counters = CountRun(subject, MeasuredSizes(subject.compiled.plan.graph));
  const double loaded = static_cast<double>(counters.global_load_bytes) / point_steps;
  const double stored = static_cast<double>(counters.global_store_bytes) / point_steps;
  const double sectors =
      kSector * static_cast<double>(counters.global_load_sectors + counters.global_store_sectors) /
      point_steps;
  const double must = static_cast<double>(sizeof(double)) *
                      (subject.benchmark.arrays_read + subject.benchmark.arrays_written) / fused;
  const double ratio = (loaded + stored) / must;
  Row row;
  row.text =
      fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.3f} |",
                  subject.benchmark.name, Describe(subject, LargestKernel(subject.compiled.plan)),
                  fused, loaded, stored, sectors, must, ratio);
  for (const char* bounded : kBounded) {
    if (subject.benchmark.name == bounded) row.within = ratio <= kMostRatio;
  }
  return row;
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  std::vector<std::string> rows;
  bool good = true;
  if (arguments.check.empty()) {
    const std::string sizes = fmt::format("arrays of {} x {} and {} x {} x {}", kRows, kColumns,
                                          kPlanes, kHeight, kWidth);
    fmt::print(fmt::runtime(kHeading), sizes);
  }
  for (const Subject& subject : CompileSuite(arguments.names, false)) {
    const Row row = RowOf(subject);
    if (!row.within) {
      fmt::print(stderr, "more than {} times what it must: {}\n", kMostRatio, row.text);
    }
    good = good && row.within;
    if (arguments.check.empty()) fmt::print("{}\n", row.text);
    rows.push_back(row.text);
  }
  if (arguments.check.empty()) {
    fmt::print("{}", kEnding);
  } else {
    good = HasRows(arguments.check, rows) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
