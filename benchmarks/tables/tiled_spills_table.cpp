// What nvcc makes of suite B's kernels with tiles in each order: registers and spills.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/host_library.h"
#include "driver/kernel_compiler.h"
#include "driver/pipeline.h"
#include "driver/recompile.h"
#include "nvcc_version.h"
#include "subject.h"
#include "support/suite.h"

namespace stencilgen::tables {
namespace {

using passes::Reorder;

constexpr std::string_view kHeading =
    R"(# Reordered tiles of suite B

What ptxas says for sm_90 of the kernels with tiles that are chosen where a thread may have so many
registers (`--cregs`): the most registers of a kernel, and the bytes that all of them spill, stores
and loads. Double precision.
Compiler: {}.

| program | `--reorder` | 64 | 128 | 255 |
| --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
The plan is the same whatever the order, but not for each number of registers. A dash: no kernel has
tiles. `--reorder auto` takes of each kernel the order that spills least, then the one of the fewest
registers. Made by `build/release/benchmarks/tables/tiled_spills_table`; with
`--check benchmarks/tiled_spills.md NAME...` it compares the rows of those programs.
)";

constexpr std::array<int, 3> kRegisters = {64, 128, 255};
struct Order {
  Reorder how;
  std::string_view name;
};
constexpr std::array<Order, 3> kOrders = {
    {{Reorder::None, "none"}, {Reorder::Trees, "trees"}, {Reorder::Lars, "lars"}}};

/// A program with so many registers a thread.
struct Planned {
  driver::PipelineOptions options;
  plan::Plan plan;
};

Planned PlanFor(const testing::Benchmark& benchmark, const SourceFile& source, int registers) {
  Planned planned;
  driver::PipelineOptions& options = planned.options;
  options.program_name = benchmark.Identifier();
  options.choose = true;
  options.arch = "sm_90";
  options.codegen.registers = registers;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) {
    std::fputs(RenderText(source, sink.diagnostics(), 0, false).c_str(), stderr);
    std::exit(1);
  }
  planned.plan = driver::CompileToPlan(*std::move(graph), options);
  return planned;
}

/// `64 / 120`
std::string CellOf(const Planned& planned, const SourceFile& source, Reorder how,
                   driver::KernelCompiler& compiler) {
  const plan::Plan& plan = planned.plan;
  driver::PipelineOptions options = planned.options;
  options.codegen.reorder.how = how;
  const driver::CodegenOptions code = driver::CodeOptions(plan, source, options);
  std::vector<std::string> texts;
  for (const plan::KernelId kernel : plan.kernels.Ids()) {
    if (plan.kernels[kernel].tile) texts.push_back(driver::KernelText(plan, kernel, code));
  }
  if (texts.empty()) return "-";
  int most = 0;
  int spilled = 0;
  for (const driver::CompiledKernel& kernel : compiler.CompileAll(texts)) {
    if (!kernel.error.empty()) return "fails";
    most = std::max(most, kernel.registers);
    spilled += kernel.spill_stores + kernel.spill_loads;
  }
  return fmt::format("{} / {}", most, spilled);
}

std::vector<std::string> RowsOf(const testing::Benchmark& benchmark,
                                driver::KernelCompiler& compiler) {
  const SourceFile source(benchmark.name + ".idsl", benchmark.text);
  std::vector<Planned> plans;
  plans.reserve(kRegisters.size());
  for (const int registers : kRegisters) plans.push_back(PlanFor(benchmark, source, registers));
  std::vector<std::string> rows;
  for (const Order& order : kOrders) {
    std::vector<std::string> cells;
    cells.reserve(plans.size());
    for (const Planned& planned : plans) {
      cells.push_back(CellOf(planned, source, order.how, compiler));
    }
    if (std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell == "-"; })) {
      return {};
    }
    rows.push_back(
        fmt::format("| {} | {} | {} |", benchmark.name, order.name, fmt::join(cells, " | ")));
  }
  return rows;
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) {
    fmt::print(stderr, "nvcc is not here: nothing compiled\n");
    return arguments.check.empty() ? 1 : 0;
  }
  const std::string version = VersionOf(nvcc);
  // Another compiler has other registers.
  if (!arguments.check.empty() && !IsMadeBy(arguments.check, version)) return 0;
  driver::KernelCompiler compiler("sm_90", driver::CacheDirectory());
  if (arguments.check.empty()) fmt::print(fmt::runtime(kHeading), version);
  bool good = true;
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    const auto& names = arguments.names;
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), benchmark.name) != names.end();
    if (benchmark.suite != 'B' || !wanted) continue;
    const std::vector<std::string> rows = RowsOf(benchmark, compiler);
    if (!arguments.check.empty()) {
      good = HasRows(arguments.check, rows) && good;
      continue;
    }
    for (const std::string& row : rows) fmt::print("{}\n", row);
    std::fflush(stdout);
  }
  if (arguments.check.empty()) fmt::print("{}", kEnding);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
