// What suite A moves to and from global memory, counted on the emulator, beside what it must.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/host_library.h"
#include "subject.h"
#include "support/program_run.h"
#include "support/temporary_directory.h"
#include "tools/run/emulator_control.h"

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

driver::Counters Count(const Subject& subject) {
  const testing::TemporaryDirectory directory;
  driver::BuildOptions build;
  build.backend = driver::Backend::CudaEmulated;
  build.optimize = 2;
  build.directory = directory.path();
  std::string error;
  const plan::Plan& plan = subject.compiled.plan;
  const auto library = driver::HostLibrary::Build(
      subject.compiled.text +
          codegen::EmitTrampoline(subject.compiled.module, subject.options.codegen),
      "subject", build, error);
  if (library == nullptr) {
    std::fputs(error.c_str(), stderr);
    std::exit(1);
  }
  const graph::ParameterValues sizes = MeasuredSizes(plan.graph);
  std::vector<std::vector<double>> memory;
  const std::vector<double> scalar = {0.5};
  std::vector<const void*> scalars;
  for (const graph::Array& array : plan.graph.arrays) {
    if (array.local) continue;
    if (array.rank() == 0) {
      scalars.push_back(scalar.data());
      continue;
    }
    std::int64_t elements = 1;
    for (const graph::LinearForm& extent : array.extents) elements *= Evaluate(extent, sizes);
    memory.emplace_back(static_cast<std::size_t>(elements), 0.5);
  }
  std::vector<void*> arrays;
  for (auto& values : memory) arrays.push_back(values.data());
  const driver::EmulatorControl emulator(*library);
  emulator.Reset();
  const std::string& name = subject.options.program_name;
  if (library->Call(name, arrays, scalars, {sizes.begin(), sizes.end()}) != 0) {
    fmt::print(stderr, "{}: {}\n", name, library->Error(name));
    std::exit(1);
  }
  return emulator.Read();
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
  const double points = static_cast<double>(flat ? kRows * kColumns : kPlanes * kHeight * kWidth);
  const double point_steps =
      points * static_cast<double>(iterated ? subject.benchmark.full.at("T") : 1);
  const int fused = iterated ? subject.time_tile : 1;
  const driver::Counters counters = Count(subject);
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
