// What nvcc makes of suite A: registers, spills, shared memory and occupancy of each kernel.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/host_library.h"
#include "driver/ptxas_report.h"
#include "driver/subprocess.h"
#include "machine/gpu.h"
#include "nvcc_version.h"
#include "plan/cost.h"
#include "plan/occupancy.h"
#include "subject.h"
#include "support/parallel.h"
#include "support/temporary_directory.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Registers of suite A

What ptxas says of each kernel for sm_90, and how many of its blocks a multiprocessor runs.
Compiler: {}.

| program | kernel | plan | registers | estimated | asked | spilled bytes | shared bytes | blocks | warps | limit |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding =
    R"(Estimated: what planning reckons with where it does not ask ptxas (`plan/cost.h`).
Asked: blocks that the kernel wants registers to be kept for; 0: it asks for none. Spilled bytes:
stores and loads together; more than 32 are an error, or more than 256 where blocks are asked for,
which nearly always lie beside the loop over steady planes. Three spill more, beside their loops
alone: hypterm_5 of hypterm in 95 of 1304 instructions, and in single precision poisson_3 in 22 of
1936, j3d17pt_3 in 17 of 2032.
Blocks and warps are those of one multiprocessor at a time; limit: what keeps it from another block.
Made by
`build/release/benchmarks/tables/registers_table`; with `--check benchmarks/registers.md NAME...` it
compares rows (registers alone, within 24, where the compiler is
another).
)";

std::string_view Name(plan::OccupancyLimit limit) {
  switch (limit) {
    case plan::OccupancyLimit::Blocks:
      return "blocks";
    case plan::OccupancyLimit::Warps:
      return "warps";
    case plan::OccupancyLimit::Registers:
      return "registers";
    case plan::OccupancyLimit::SharedMemory:
      return "shared memory";
  }
  return "?";
}

/// Stores and loads together.
int SpilledBytes(const driver::CompiledKernel& compiled) {
  return compiled.spill_stores + compiled.spill_loads;
}

std::string RowOf(const Subject& subject, const plan::Kernel& kernel,
                  const driver::CompiledKernel& compiled) {
  const int estimated = plan::EstimateRegisters(subject.compiled.plan, kernel);
  plan::BlockNeeds needs;
  needs.threads = kernel.schedule.block[0] * kernel.schedule.block[1] * kernel.schedule.block[2];
  needs.registers = compiled.registers;
  if (kernel.tile) {
    needs.threads = kernel.tile->Threads();
    needs.shared_bytes = kernel.tile->shared_bytes;
  }
  const plan::Occupancy occupancy = plan::FindOccupancy(machine::DefaultGpu(), needs);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |", subject.Title(),
                     kernel.name, Describe(subject, kernel), compiled.registers, estimated,
                     kernel.resident, SpilledBytes(compiled), needs.shared_bytes, occupancy.blocks,
                     occupancy.warps, Name(occupancy.limit));
}

/// A kernel that may spill more than others, and why that costs nothing.
struct KnownSpills {
  std::string_view program, kernel;
  int bytes;
  std::string_view reason;
};
constexpr KnownSpills kKnownSpills[] = {
    {"hypterm", "hypterm_5", 760,
     "95 of 1304 instructions, for the first and last planes, none in the loop over the others"},
    {"poisson, float", "poisson_3", 88, "22 of 1936 instructions, none of the 1267 in its loops"},
    {"j3d13pt", "j3d13pt_2", 48, "none in the loop over planes (sass.md)"},
    {"j3d13pt", "j3d13pt_3", 56, "none in the loop over planes (sass.md)"},
    {"j3d17pt, float", "j3d17pt_3", 68, "17 of 2032 instructions, none of the 1337 in its loops"},
    {"j3d13pt, float", "j3d13pt_3", 60,
     "15 of 3080 instructions, none of the 1971 in its loops over planes"}};

/// True where ptxas spills more than the few words that make room for one more block. Where the
/// kernel asks for that block they are more, nearly all of them before and after its loop.
bool SpillsMuch(const Subject& subject, const plan::Kernel& kernel,
                const driver::CompiledKernel& compiled) {
  constexpr int kFewBytes = 32;
  constexpr int kForBlocks = 256;
  int most = kernel.resident > 0 ? kForBlocks : kFewBytes;
  for (const KnownSpills& known : kKnownSpills) {
    const bool is_it = known.program == subject.Title() && known.kernel == kernel.name;
    if (is_it) most = known.bytes;
  }
  return SpilledBytes(compiled) > most;
}

struct Compiled {
  std::vector<std::string> rows;
  bool spills_much = false;
  std::string error;
};

Compiled CompileWithNvcc(const std::string& nvcc, const Subject& subject) {
  const testing::TemporaryDirectory directory;
  const std::string source = (directory.path() / "subject.cu").string();
  std::ofstream(source) << subject.compiled.text;
  const driver::ProcessResult result =
      driver::RunProcess({nvcc, "-std=c++17", "-O3", "-arch=sm_90", "-Xptxas", "-v", "-cubin",
                          fmt::format("-I{}", driver::RuntimeIncludeDirectory().string()), "-o",
                          (directory.path() / "subject.cubin").string(), source});
  Compiled compiled;
  if (result.status != 0) {
    compiled.error = result.output;
    return compiled;
  }
  const auto report = driver::ReadPtxasReport(result.output);
  for (const plan::Kernel& kernel : subject.compiled.plan.kernels) {
    const driver::CompiledKernel found = driver::FindInReport(report, kernel.name);
    if (!found.error.empty()) {
      compiled.error = fmt::format("{}: {}\n", subject.Title(), found.error);
      return compiled;
    }
    compiled.rows.push_back(RowOf(subject, kernel, found));
    compiled.spills_much = compiled.spills_much || SpillsMuch(subject, kernel, found);
  }
  return compiled;
}

/// True where the file has a row of each kernel, with not many fewer registers.
bool BoundsRows(const std::string& file, const std::vector<std::string>& rows) {
  constexpr int kMore = 24;
  constexpr std::size_t kRegisters = 3;
  std::map<std::pair<std::string, std::string>, int> known;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> cells = CellsOf(line);
    if (cells.size() > kRegisters) {
      known[{cells[0], cells[1]}] = std::atoi(cells[kRegisters].c_str());
    }
  }
  bool all = true;
  for (const std::string& row : rows) {
    const std::vector<std::string> cells = CellsOf(row);
    const auto at = known.find({cells[0], cells[1]});
    if (at != known.end() && std::stoi(cells[kRegisters]) <= at->second + kMore) continue;
    fmt::print(stderr, "more registers than in {}: {}\n", file, row);
    all = false;
  }
  return all;
}

std::vector<Compiled> CompileAll(const std::string& nvcc, const std::vector<Subject>& subjects) {
  std::vector<Compiled> compiled(subjects.size());
  ForEachInParallel(subjects.size(), Cores(),
                    [&](std::size_t k) { compiled[k] = CompileWithNvcc(nvcc, subjects[k]); });
  return compiled;
}

/// How far the estimates are from what ptxas took.
std::string ErrorText(const std::vector<std::string>& rows) {
  std::vector<int> errors;
  for (const std::string& row : rows) {
    const std::vector<std::string> cells = CellsOf(row);
    errors.push_back(std::stoi(cells[4]) - std::stoi(cells[3]));
  }
  std::sort(errors.begin(), errors.end());
  if (errors.empty()) return "";
  const auto near = [&](int most) {
    return std::count_if(errors.begin(), errors.end(),
                         [&](int error) { return std::abs(error) <= most; });
  };
  return fmt::format(
      "Estimates less what ptxas took: median {:+d}, from {:+d} to {:+d}; within 20 for {} of {}\n"
      "kernels, within 40 for {}.",
      errors[errors.size() / 2], errors.front(), errors.back(), near(20), errors.size(), near(40));
}

int Main(int argc, char** argv) {
  const TableArguments arguments = ParseArguments(argc, argv);
  const std::string nvcc = driver::FindCompiler(driver::Backend::Cuda);
  if (nvcc.empty()) {
    fmt::print(stderr, "nvcc is not here: nothing compiled\n");
    return arguments.check.empty() ? 1 : 0;
  }
  const std::vector<Compiled> compiled = CompileAll(nvcc, CompileSuite(arguments.names, true));
  const std::string version = VersionOf(nvcc);
  std::vector<std::string> rows;
  bool good = true;
  for (const Compiled& one : compiled) {
    std::fputs(one.error.c_str(), stderr);
    good = good && one.error.empty();
    rows.insert(rows.end(), one.rows.begin(), one.rows.end());
    if (one.spills_much) {
      fmt::print(stderr, "spills: {}\n", fmt::join(one.rows, "\n"));
      good = false;
    }
  }
  if (arguments.check.empty()) {
    fmt::print(fmt::runtime(kHeading), version);
    for (const std::string& row : rows) fmt::print("{}\n", row);
    fmt::print("\n{}\n\n{}", ErrorText(rows), kEnding);
  } else if (IsMadeBy(arguments.check, version)) {
    good = HasRows(arguments.check, rows) && good;
  } else {
    good = BoundsRows(arguments.check, rows) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  return stencilgen::tables::Main(argc, argv);
}
