// Memory accesses of the inner loops of suite B: [S] Table 5.4's counterpart.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cpu/cpu_subject.h"
#include "cpu/inner_loop.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "support/temporary_directory.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Memory accesses of suite B on the C++ target

Vector instructions with an operand in memory in one turn of the inner loop, counted in the assembly
of {} and {}: the program as its loop nest says (original), with so many points a turn as plain code
(unrolled), and in vectors in the order of `--reorder auto` (reordered). Programs of several
statements have several loops, which are added. In brackets: accesses of the stack, spills and
reloads. Ratio: reordered to unrolled; [S]: the ratio in Table 5.4 of Rawat, *Optimization of
Stencil Computations on GPUs* (Ohio State 2018), for the same points a turn.

| program | points | compiler | vectors | original | unrolled | reordered | ratio | [S] |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
Where the ratio is above that of [S]: reordered loops over boxes load each element and each
coefficient about once, and unrolled ones spill less than those of 2017 did. Points of CloverLeaf
share hardly any elements; what its loops hold besides are the conditions and both sides of
selections, too many at two points for 16 registers, and without options the compiler leaves them
one point a turn.

Made by `build/release/benchmarks/cpu/cpu_accesses_table`; with
`--check benchmarks/cpu_accesses.md NAME...` it compares rows, where the compilers are these.
)";

/// What [S] Table 5.4 has for a program and a compiler: points a turn along the outer iterators,
/// and accesses before and after.
struct Published {
  const char* name;
  std::array<int, 2> gcc_points, clang_points;  ///< along z, y
  std::array<int, 2> gcc, clang;                ///< unrolled, reordered; zero: not there
};

constexpr std::array<Published, 21> kPublished = {{
    {"2d25pt", {1, 2}, {1, 4}, {77, 58}, {207, 70}},
    {"2d49pt", {1, 4}, {1, 4}, {344, 144}, {399, 138}},
    {"2d64pt", {1, 4}, {1, 4}, {494, 174}, {519, 165}},
    {"2d81pt", {1, 4}, {1, 4}, {664, 206}, {655, 194}},
    {"2d121pt", {1, 4}, {1, 8}, {1064, 294}, {2056, 763}},
    {"3d27pt", {8, 1}, {4, 1}, {143, 93}, {223, 88}},
    {"3d125pt", {2, 2}, {4, 1}, {1133, 361}, {1019, 497}},
    {"hpgmg-7pt", {8, 1}, {4, 1}, {67, 62}, {34, 32}},
    {"helmholtz-v2", {4, 1}, {4, 1}, {62, 60}, {75, 60}},
    {"helmholtz-v4", {2, 1}, {4, 1}, {151, 111}, {266, 233}},
    {"hpgmg-27pt", {4, 2}, {4, 1}, {228, 99}, {131, 67}},
    {"diffterm", {1, 1}, {1, 1}, {345, 328}, {440, 386}},
    {"rhs4center", {1, 1}, {1, 1}, {632, 426}, {327, 287}},
    {"clover2d-advec-cell", {1, 2}, {1, 2}, {143, 132}, {139, 127}},
    {"clover2d-advec-mom", {1, 4}, {1, 4}, {164, 141}, {163, 85}},
    {"clover2d-accelerate", {1, 4}, {1, 4}, {162, 99}, {170, 97}},
    {"clover2d-ideal-gas", {1, 2}, {1, 2}, {12, 7}, {13, 6}},
    {"clover2d-pdv", {1, 2}, {1, 2}, {48, 42}, {42, 38}},
    {"clover2d-calc-dt", {1, 2}, {1, 2}, {42, 39}, {43, 34}},
    {"clover2d-flux", {1, 4}, {1, 4}, {50, 44}, {50, 43}},
    {"clover2d-viscosity", {1, 2}, {1, 2}, {42, 38}, {47, 36}},
}};

struct Compiler {
  std::string name, path;
  bool clang = false;
};

struct Isa {
  const char* name;
  std::vector<std::string> flags;
};

const std::vector<Isa>& Isas() {
  static const std::vector<Isa> isas = {
      {"AVX2", {"-march=x86-64-v3"}},
      {"AVX-512", {"-march=x86-64-v4", "-mprefer-vector-width=512"}}};
  return isas;
}

std::string VersionOf(const std::string& compiler) {
  const std::string text = driver::RunProcess({compiler, "--version"}).output;
  return text.substr(0, text.find('\n'));
}

std::vector<Compiler> Compilers() {
  std::vector<Compiler> compilers;
  for (const auto& [name, clang] : {std::pair("g++", false), std::pair("clang++", true)}) {
    const std::string path = driver::FindProgram(name);
    if (!path.empty()) compilers.push_back({clang ? "Clang" : "GCC", path, clang});
  }
  return compilers;
}

/// The kernels as functions of their own that the linker sees.
std::string WithVisibleKernels(std::string text) {
  const std::string from = "\nstatic void ";
  const std::string to = "\nextern \"C\" __attribute__((noinline)) void ";
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

LoopCount Measure(const CpuSubject& subject, const Compiler& compiler, const Isa& isa) {
  const testing::TemporaryDirectory directory;
  const auto source = directory.path() / "program.cpp";
  const auto assembly = directory.path() / "program.s";
  std::ofstream(source) << WithVisibleKernels(subject.compiled.text);
  std::vector<std::string> command = {compiler.path,
                                      "-std=c++17",
                                      "-O3",
                                      "-fwrapv",
                                      "-fopenmp-simd",
                                      "-D_OPENMP=201511",
                                      "-ffp-contract=fast",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fassociative-math",
                                      "-fno-signed-zeros",
                                      "-DSTENCILGEN_PACK_VECTORS=1",

                                      "-S",
                                      "-I" + driver::RuntimeIncludeDirectory().string(),
                                      "-o",
                                      assembly.string(),
                                      source.string()};
  command.insert(command.begin() + 1, isa.flags.begin(), isa.flags.end());
  const driver::ProcessResult result = driver::RunProcess(command);
  if (result.status != 0) {
    std::fputs(result.output.c_str(), stderr);
    std::exit(1);
  }
  std::ifstream stream(assembly);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  LoopCount sum;
  for (const plan::Kernel& kernel : subject.compiled.plan.kernels) {
    const LoopCount count = CountInnerLoop(text, kernel.name);
    sum.accesses += count.accesses;
    sum.on_stack += count.on_stack;
    sum.instructions += count.instructions;
    sum.vectors = sum.vectors || count.vectors;
  }
  return sum;
}

std::string CountText(const LoopCount& count) {
  return fmt::format("{}{}{}", count.vectors ? "" : "scalar ", count.accesses,
                     count.on_stack > 0 ? fmt::format(" ({})", count.on_stack) : "");
}

std::vector<std::string> RowsOf(const testing::Benchmark& benchmark,
                                const std::vector<Compiler>& compilers) {
  const Published* published = nullptr;
  for (const Published& each : kPublished) {
    if (benchmark.name == each.name) published = &each;
  }
  std::vector<std::string> rows;
  const CpuSubject original = CompileForCpu(benchmark, {"--reorder", "none"});
  for (const Compiler& compiler : compilers) {
    std::array<int, 2> points = {1, 1};
    std::array<int, 2> counts = {0, 0};
    if (published != nullptr) {
      points = compiler.clang ? published->clang_points : published->gcc_points;
      counts = compiler.clang ? published->clang : published->gcc;
    }
    const bool flat = original.compiled.plan.graph.iterators.size() == 2;
    const std::vector<int> outer =
        flat ? std::vector<int>{points[1]} : std::vector<int>{points[0], points[1]};
    const std::string unroll = UnrollArgument(original.compiled, outer);
    const CpuSubject unrolled = CompileForCpu(benchmark, {"--unroll", unroll, "--reorder", "none"});
    const CpuSubject reordered =
        CompileForCpu(benchmark, {"--unroll", unroll, "--reorder", "auto"});
    for (const Isa& isa : Isas()) {
      const LoopCount before = Measure(original, compiler, isa);
      const LoopCount plain = Measure(unrolled, compiler, isa);
      const LoopCount after = Measure(reordered, compiler, isa);
      const std::string ratio =
          counts[0] == 0 ? "-" : fmt::format("{:.2f}", 1.0 * counts[1] / counts[0]);
      rows.push_back(fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} | {:.2f} | {} |", benchmark.name, unroll,
          compiler.name, isa.name, CountText(before), CountText(plain), CountText(after),
          plain.accesses == 0 ? 0.0 : 1.0 * after.accesses / plain.accesses, ratio));
    }
  }
  return rows;
}

}  // namespace
}  // namespace stencilgen::tables

int main(int argc, char** argv) {
  using namespace stencilgen::tables;
  std::string check;
  std::vector<std::string> names;
  for (int n = 1; n < argc; ++n) {
    if (std::string(argv[n]) == "--check" && n + 1 < argc) {
      check = argv[++n];
    } else {
      names.emplace_back(argv[n]);
    }
  }
  const std::vector<Compiler> compilers = Compilers();
  if (compilers.empty()) {
    fmt::print(stderr, "no compiler is here: nothing counted\n");
    return check.empty() ? 1 : 0;
  }
  std::string versions[2] = {"GCC", "Clang"};
  for (const Compiler& compiler : compilers) versions[compiler.clang] = VersionOf(compiler.path);
  const std::string heading = fmt::format(fmt::runtime(kHeading), versions[0], versions[1]);
  std::ifstream stream(check);
  const std::string known{std::istreambuf_iterator<char>(stream), {}};
  if (check.empty()) {
    fmt::print("{}", heading);
  } else if (known.rfind(heading, 0) != 0) {
    fmt::print(stderr, "{} is of other compilers: nothing compared\n", check);
    return 0;
  }
  bool good = true;
  for (const stencilgen::testing::Benchmark& benchmark : SuiteB(names)) {
    for (const std::string& row : RowsOf(benchmark, compilers)) {
      if (check.empty()) {
        fmt::print("{}\n", row);
        std::fflush(stdout);
      } else if (known.find(row + "\n") == std::string::npos) {
        fmt::print(stderr, "now: {}\n", row);
        good = false;
      }
    }
  }
  if (check.empty()) fmt::print("{}", kEnding);
  return good ? 0 : 1;
}
