// What nvcc spills of suite B: as written, unrolled, and reordered ([S] Table 4.4).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/pipeline.h"
#include "driver/ptxas_report.h"
#include "driver/subprocess.h"
#include "nvcc_version.h"
#include "subject.h"
#include "support/parallel.h"
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace stencilgen::tables {
namespace {

using passes::Reorder;

constexpr std::string_view kHeading =
    R"(# Spills of suite B

Bytes that ptxas spills, stores and loads of all kernels of a program together, by the registers
that a thread may have: as written, with points unrolled into straight-line code, and the same
points reordered: of each kernel that order of those of `--reorder auto` that spills least, the
program's own among them. One statement a kernel, double precision, 32x4 threads, sizes left open,
positions of 32 bits.
Compiler: {}.

| program | points | GPU | code | 32 | 48 | 64 | 128 | 255 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
Points: those of a thread, along the iterator before the last; `1` where a point alone spills at 64
registers already, or the literature does not unroll either: then unrolled code is as written.
Made by `build/release/benchmarks/tables/spills_table`; with `--check benchmarks/spills.md NAME...`
it compares the rows of those programs, and checks for the whole file that at 64 registers reordered
code spills at most a tenth of what unrolled code spills (rhs4center on sm_90: at most 304 bytes),
and nothing where the literature spills nothing; and that nowhere it spills more than unrolled code.
)";

constexpr std::array<int, 5> kRegisters = {32, 48, 64, 128, 255};
constexpr std::array<const char*, 2> kArchitectures = {"sm_90", "sm_75"};
constexpr std::array<const char*, 3> kVersions = {"original", "unrolled", "reordered"};
constexpr std::size_t kSixtyFour = 2;
/// [S] Table 4.4 has no spills of these at 64 registers.
constexpr std::array<const char*, 5> kSpillFree = {"2d25pt", "2d64pt", "2d81pt", "3d27pt",
                                                   "3d125pt"};

/// Reordered code spills more than a tenth there at 64 registers: bytes.
constexpr std::pair<std::string_view, long long> kMuch = {"rhs4center on sm_90", 304};

using Spills = std::array<long long, kRegisters.size()>;

/// [S] Table 5.4 does not unroll diffterm and rhs4center, and the others of these by two.
int PointsOf(const std::string& name) {
  if (name == "rhs4center" || name == "diffterm" || name == "helmholtz-v4") return 1;
  return name.rfind("clover2d", 0) == 0 ? 2 : 4;
}

[[noreturn]] void Fail(const std::string& message) {
  std::fputs(message.c_str(), stderr);
  std::exit(1);
}

std::string Emit(const testing::Benchmark& benchmark, int points, Reorder reorder) {
  const SourceFile source(benchmark.name + ".idsl", benchmark.text);
  driver::PipelineOptions options;
  options.program_name = benchmark.Identifier();
  options.schedule.unroll[1] = points;
  options.unroll_given = {true, true, true};
  options.codegen.standalone = false;
  options.codegen.reorder.how = reorder;
  options.codegen.registers = kRegisters.back();
  DiagnosticSink sink;
  const auto compiled = driver::Compile(source, options, sink);
  if (!compiled) Fail(RenderText(source, sink.diagnostics(), 0, false));
  return compiled->text;
}

std::string RequireSuccess(const driver::ProcessResult& result) {
  if (result.status != 0) Fail(result.output);
  return result.output;
}

/// A version of a program.
struct Row {
  const testing::Benchmark* benchmark = nullptr;
  std::size_t version = 0;
  std::array<Spills, kArchitectures.size()> spills = {};
};

/// By GPU and number of registers: the spills of each kernel.
using KernelSpills =
    std::array<std::array<std::vector<long long>, kRegisters.size()>, kArchitectures.size()>;

/// One compilation, then one assembly a number of registers.
KernelSpills MeasureOrder(const std::string& nvcc, const Row& row, Reorder how) {
  const testing::TemporaryDirectory directory;
  const auto path = [&](const char* file) { return (directory.path() / file).string(); };
  const int points = row.version == 0 ? 1 : PointsOf(row.benchmark->name);
  std::ofstream(path("code.cu")) << Emit(*row.benchmark, points, how);
  // The oldest GPU's PTX is any GPU's.
  RequireSuccess(
      driver::RunProcess({nvcc, "-std=c++17", "-O3", "-ptx", "-arch=compute_75",
                          fmt::format("-I{}", driver::RuntimeIncludeDirectory().string()), "-o",
                          path("code.ptx"), path("code.cu")}));
  std::ifstream stream(path("code.ptx"));
  const std::string ptx((std::istreambuf_iterator<char>(stream)), {});
  const std::string ptxas = (std::filesystem::path(nvcc).parent_path() / "ptxas").string();
  KernelSpills spills;
  for (std::size_t gpu = 0; gpu < kArchitectures.size(); ++gpu) {
    for (std::size_t n = 0; n < kRegisters.size(); ++n) {
      static const std::regex kLimit(R"(\.maxnreg \d+)");
      std::ofstream(path("limited.ptx"))
          << std::regex_replace(ptx, kLimit, fmt::format(".maxnreg {}", kRegisters[n]));
      const std::string report = RequireSuccess(
          driver::RunProcess({ptxas, "-v", "-O3", fmt::format("-arch={}", kArchitectures[gpu]),
                              "-o", path("code.cubin"), path("limited.ptx")}));
      for (const driver::ReportedKernel& each : driver::ReadPtxasReport(report)) {
        if (driver::HasLongPositions(each.name)) continue;
        spills[gpu][n].push_back(each.kernel.spill_stores + each.kernel.spill_loads);
      }
    }
  }
  return spills;
}

/// Of each kernel the order that spills least.
void Measure(const std::string& nvcc, Row& row) {
  constexpr std::array<Reorder, 5> kReordered = {Reorder::Auto, Reorder::Trees,
                                                 Reorder::LarsCoefficients, Reorder::LarsRows,
                                                 Reorder::Unrolled};
  std::vector<Reorder> orders = {row.version == 0 ? Reorder::None : Reorder::Unrolled};
  if (row.version == 2) orders.assign(kReordered.begin(), kReordered.end());
  KernelSpills least;
  for (const Reorder how : orders) {
    const KernelSpills spills = MeasureOrder(nvcc, row, how);
    for (std::size_t gpu = 0; gpu < spills.size(); ++gpu) {
      for (std::size_t n = 0; n < spills[gpu].size(); ++n) {
        auto& best = least[gpu][n];
        if (best.empty()) best = spills[gpu][n];
        for (std::size_t kernel = 0; kernel < best.size(); ++kernel) {
          best[kernel] = std::min(best[kernel], spills[gpu][n].at(kernel));
        }
      }
    }
  }
  for (std::size_t gpu = 0; gpu < least.size(); ++gpu) {
    for (std::size_t n = 0; n < least[gpu].size(); ++n) {
      row.spills[gpu][n] = std::accumulate(least[gpu][n].begin(), least[gpu][n].end(), 0LL);
    }
  }
}

std::vector<std::string> MakeRows(const std::string& nvcc,
                                  const std::vector<testing::Benchmark>& benchmarks) {
  std::vector<Row> rows;
  for (const testing::Benchmark& benchmark : benchmarks) {
    for (std::size_t version = 0; version < kVersions.size(); ++version) {
      rows.push_back({&benchmark, version});
    }
  }
  ForEachInParallel(rows.size(), Cores(), [&](std::size_t k) { Measure(nvcc, rows[k]); });
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < rows.size(); k += kVersions.size()) {
    for (std::size_t gpu = 0; gpu < kArchitectures.size(); ++gpu) {
      for (std::size_t version = 0; version < kVersions.size(); ++version) {
        const Row& row = rows[k + version];
        lines.push_back(fmt::format("| {} | {} | {} | {} | {} |", row.benchmark->name,
                                    version == 0 ? 1 : PointsOf(row.benchmark->name),
                                    kArchitectures[gpu], kVersions[version],
                                    fmt::join(row.spills[gpu], " | ")));
      }
    }
  }
  return lines;
}

/// True where the table holds what its ending says.
bool KeepsPromises(const std::vector<std::string>& rows) {
  constexpr std::size_t kFirst = 4;
  std::map<std::string, Spills> unrolled;
  bool good = true;
  int seen = 0;
  for (const std::string& row : rows) {
    const std::vector<std::string> cells = CellsOf(row);
    if (cells.size() != kFirst + kRegisters.size()) continue;
    Spills spilled = {};
    for (std::size_t n = 0; n < kRegisters.size(); ++n) {
      spilled[n] = std::stoll("0" + cells[kFirst + n]);
    }
    const std::string subject = cells[0] + " on " + cells[2];
    if (cells[3] == "unrolled") unrolled[subject] = spilled;
    if (cells[3] != "reordered") continue;
    const bool free = std::find(kSpillFree.begin(), kSpillFree.end(), cells[0]) != kSpillFree.end();
    seen += free ? 1 : 0;
    const auto before = unrolled.find(subject);
    if (before == unrolled.end()) continue;
    for (std::size_t n = 0; n < kRegisters.size(); ++n) {
      long long most = before->second[n];
      if (n == kSixtyFour) most = free ? 0 : subject == kMuch.first ? kMuch.second : most / 10;
      if (spilled[n] <= most) continue;
      fmt::print(stderr, "{}: {} bytes are spilled at {} registers\n", subject, spilled[n],
                 kRegisters[n]);
      good = false;
    }
  }
  return good && seen == static_cast<int>(kSpillFree.size() * kArchitectures.size());
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  bool good = true;
  if (!arguments.check.empty()) {
    std::ifstream stream(arguments.check);
    std::vector<std::string> rows;
    for (std::string line; std::getline(stream, line);) rows.push_back(line);
    good = KeepsPromises(rows);
  }
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) {
    fmt::print(stderr, "nvcc is not here: nothing compiled\n");
    return good && !arguments.check.empty() ? 0 : 1;
  }
  std::vector<testing::Benchmark> benchmarks;
  for (testing::Benchmark& benchmark : testing::Benchmarks()) {
    const auto& names = arguments.names;
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), benchmark.name) != names.end();
    if (benchmark.suite == 'B' && wanted) benchmarks.push_back(std::move(benchmark));
  }
  const std::string version = VersionOf(nvcc);
  if (arguments.check.empty()) {
    const std::vector<std::string> rows = MakeRows(nvcc, benchmarks);
    fmt::print(fmt::runtime(kHeading), version);
    for (const std::string& row : rows) fmt::print("{}\n", row);
    fmt::print("{}", kEnding);
    return KeepsPromises(rows) ? 0 : 1;
  }
  // Another compiler spills other values.
  if (!IsMadeBy(arguments.check, version)) return good ? 0 : 1;
  return HasRows(arguments.check, MakeRows(nvcc, benchmarks)) && good ? 0 : 1;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
