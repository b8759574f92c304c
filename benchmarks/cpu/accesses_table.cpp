// Memory accesses of the inner loops of suite B: [S] Table 5.4's counterpart.
#include <algorithm>
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
#include <fmt/ranges.h>

#include "cpu/cpu_subject.h"
#include "cpu/inner_loop.h"
#include "driver/host_library.h"
#include "driver/subprocess.h"
#include "kernel/lower_body.h"
#include "kernel/uses.h"
#include "support/temporary_directory.h"
#include "tables/subject.h"

namespace stencilgen::tables {
namespace {

constexpr std::string_view kHeading =
    R"(# Memory accesses of suite B on the C++ target

Vector instructions with an operand in memory in one turn of the inner loop, counted in the assembly
of {} and {}: the program as its loop nest says (original), with so many points a turn as plain code
(unrolled), and in vectors in the order of `--reorder auto` (reordered). Programs of several
statements have several loops, which are added. In brackets: accesses of the stack, spills and
reloads. A turn of reordered code computes two vectors with AVX-512: half of what is counted there.

Least: each element that varies along the row loaded once, each result stored once. Ratio: reordered
to unrolled. [S]: reordered and unrolled, and their ratio, in Table 5.4 of Rawat, *Optimization of
Stencil Computations on GPUs* (Ohio State 2018), for the same points a turn, of GCC 7 and an LLVM of
2017 with AVX-512.

| program | points | compiler | vectors | least | original | unrolled | reordered | ratio | [S] | why |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr std::string_view kEnding = R"(
Why a ratio is above that of [S], what reordered code accesses beside the least, which are constants
(coefficients, literals, what does not vary along the row), the stack, and elements that are loaded
again; and unrolled code:

- *better*: unrolled code has fewer accesses here than that of [S], and reordered code has no more.
- *least*: next to nothing is left to save, whatever the order: at most a tenth above the least. The
  points of CloverLeaf and of stencils without corners share few elements, or compilers find what
  neighbours share.
- *16*: AVX2 has 16 registers, and [S] counted with 32.
- *constants*: most of what is left are constants. Code is made for 16 registers, also where the
  machine has 32, and what they do not hold along the row is loaded where it is needed.
- *choices*: both sides of selections and their conditions are computed, at two points at once too
  many for 16 registers. Without options the compiler leaves these programs one point a turn.

Made by `build/release/benchmarks/cpu/cpu_accesses_table`; with
`--check benchmarks/cpu_accesses.md NAME...` it compares rows, where the compilers are these, and
checks for the whole file that each row above [S] says why.
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
  int vectors = 1;  ///< of a pack, where nobody says otherwise
};

const std::vector<Isa>& Isas() {
  static const std::vector<Isa> kIsas = {
      {"AVX2", {"-march=x86-64-v3"}, 1},
      {"AVX-512", {"-march=x86-64-v4", "-mprefer-vector-width=512"}, 2}};
  return kIsas;
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

/// What a turn that computes a vector accesses; a turn computes so many.
struct TurnCount {
  double accesses = 0, on_stack = 0, constant = 0;
  bool vectors = false;
};

/// True where all kernels are in vectors.
bool IsInVectors(const CpuSubject& subject) {
  std::size_t count = 0;
  const std::string& text = subject.compiled.text;
  for (std::size_t at = 0; (at = text.find("using Values = Pack<double>", at)) != text.npos; ++at) {
    ++count;
  }
  return count == subject.compiled.plan.kernels.size();
}

TurnCount Measure(const CpuSubject& subject, const Compiler& compiler, const Isa& isa) {
  const int vectors = IsInVectors(subject) ? isa.vectors : 1;
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
                                      fmt::format("-DSTENCILGEN_PACK_VECTORS={}", vectors),
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
  TurnCount sum;
  for (const plan::Kernel& kernel : subject.compiled.plan.kernels) {
    const LoopCount count = CountInnerLoop(text, kernel.name);
    sum.accesses += 1.0 * count.accesses / vectors;
    sum.on_stack += 1.0 * count.on_stack / vectors;
    sum.constant += 1.0 * count.constant / vectors;
    sum.vectors = sum.vectors || count.vectors;
  }
  return sum;
}

/// The fewest accesses that compute a block of points: each element that varies along the row is
/// loaded once, each result stored once.
int LeastAccesses(const driver::Compiled& compiled, const std::vector<int>& outer) {
  const graph::Graph& graph = compiled.plan.graph;
  std::size_t least = 0;
  for (const plan::Kernel& kernel : compiled.plan.kernels) {
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<graph::Operator>(graph.nodes[node]);
      std::vector<std::vector<std::int64_t>> points(op.iterators.size(), {0});
      for (std::size_t n = 0; n < outer.size() && n + 1 < points.size(); ++n) {
        for (int k = 1; k < outer[n]; ++k) points[n].push_back(k);
      }
      const kernel::Body body = kernel::LowerBody(graph, {&op}, kernel::StatementsAt(1, points));
      const kernel::Uses uses = kernel::FindUses(body);
      least += body.results.size();
      for (kernel::ValueId id : body.values.Ids()) {
        const auto* element = std::get_if<kernel::Element>(&body.values[id].what);
        if (element == nullptr || uses.uses[id.index].empty()) continue;
        const auto& indices = element->access.indices;
        const bool varies = std::any_of(indices.begin(), indices.end(), [&](const auto& index) {
          return index.iterator == op.iterators.back();
        });
        if (varies) ++least;
      }
    }
  }
  return static_cast<int>(least);
}

std::string CountText(const TurnCount& count) {
  return fmt::format("{}{:g}{}", count.vectors ? "" : "scalar ", count.accesses,
                     count.on_stack > 0 ? fmt::format(" ({:g})", count.on_stack) : "");
}

/// Why the ratio of a row is above the published one; empty where nothing explains it.
std::string Reason(const std::string& program, bool avx2, int least, const TurnCount& unrolled,
                   const TurnCount& reordered, const std::array<int, 2>& published) {
  std::string beside;
  if (reordered.constant > 0) beside += fmt::format("{:g} constants", reordered.constant);
  if (reordered.on_stack > 0) {
    beside += fmt::format("{}{:g} of the stack", beside.empty() ? "" : ", ", reordered.on_stack);
  }
  const double again = reordered.accesses - reordered.constant - reordered.on_stack - least;
  if (again > 0) beside += fmt::format("{}{:g} again", beside.empty() ? "" : ", ", again);
  if (beside.empty()) beside = "nothing";
  const bool chooses = program == "clover2d-calc-dt" || program == "clover2d-viscosity" ||
                       program == "clover2d-advec-cell" || program == "clover2d-advec-mom";
  std::vector<std::string> reasons;
  if (unrolled.accesses < published[0] && reordered.accesses <= published[1]) {
    reasons.emplace_back("better");
  }
  if (reordered.accesses <= 1.1 * least) reasons.emplace_back("least");
  const bool constants = reordered.constant > reordered.on_stack + std::max(0.0, again);
  if (constants) reasons.emplace_back("constants");
  if (reordered.on_stack > 0 && avx2 && !chooses) reasons.emplace_back("16");
  if (reordered.on_stack > 0 && chooses) reasons.emplace_back("choices");
  if (reasons.empty()) return "";
  return fmt::format("{}; *{}*", beside, fmt::join(reasons, "*, *"));
}

std::vector<std::string> RowsOf(const testing::Benchmark& benchmark,
                                const std::vector<Compiler>& compilers) {
  const Published* published = nullptr;
  for (const Published& each : kPublished) {
    if (benchmark.name == each.name) published = &each;
  }
  std::vector<std::string> rows;
  const CpuSubject original = CompileForCpu(benchmark, {"--fusion", "none", "--reorder", "none"});
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
    const CpuSubject unrolled =
        CompileForCpu(benchmark, {"--fusion", "none", "--unroll", unroll, "--reorder", "none"});
    const CpuSubject reordered =
        CompileForCpu(benchmark, {"--fusion", "none", "--unroll", unroll, "--reorder", "auto"});
    for (const Isa& isa : Isas()) {
      const TurnCount before = Measure(original, compiler, isa);
      const TurnCount plain = Measure(unrolled, compiler, isa);
      const TurnCount after = Measure(reordered, compiler, isa);
      const double ratio = plain.accesses == 0 ? 0.0 : after.accesses / plain.accesses;
      const int least = LeastAccesses(original.compiled, outer);
      std::string known = "-";
      std::string why;
      if (counts[0] > 0) {
        const double aim = 1.0 * counts[1] / counts[0];
        known = fmt::format("{}/{} = {:.2f}", counts[1], counts[0], aim);
        if (ratio > aim) {
          why = Reason(benchmark.name, isa.vectors == 1, least, plain, after, counts);
        }
      }
      rows.push_back(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {} | {} |",
                                 benchmark.name, unroll, compiler.name, isa.name, least,
                                 CountText(before), CountText(plain), CountText(after), ratio,
                                 known, why));
    }
  }
  return rows;
}

/// True where each row with a ratio above the published one says why.
bool SaysWhy(const std::string& table) {
  std::istringstream stream(table);
  bool good = true;
  int rows = 0;
  for (std::string row; std::getline(stream, row);) {
    constexpr std::size_t kRatio = 8;
    const std::vector<std::string> cells = CellsOf(row);
    const std::size_t equals = cells.size() > kRatio + 2 ? cells[kRatio + 1].find("= ") : row.npos;
    if (equals == std::string::npos) continue;
    ++rows;
    const double aim = std::stod(cells[kRatio + 1].substr(equals + 2));
    if (std::stod(cells[kRatio]) <= aim || !cells[kRatio + 2].empty()) continue;
    fmt::print(stderr, "no reason: {}\n", row);
    good = false;
  }
  return good && rows > 0;
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
  bool good = check.empty() || SaysWhy(known);
  std::string all;
  for (const stencilgen::testing::Benchmark& benchmark : SuiteB(names)) {
    for (const std::string& row : RowsOf(benchmark, compilers)) {
      all += row + "\n";
      if (check.empty()) {
        fmt::print("{}\n", row);
        std::fflush(stdout);
      } else if (known.find(row + "\n") == std::string::npos) {
        fmt::print(stderr, "now: {}\n", row);
        good = false;
      }
    }
  }
  if (check.empty()) {
    fmt::print("{}", kEnding);
    good = SaysWhy(all);
  }
  return good ? 0 : 1;
}
