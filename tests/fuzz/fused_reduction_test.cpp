// Reductions in one kernel with what makes their operands, and with each other: random programs as
// structured code, which kernel::Execute runs, give the interpreter's bits.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/pipeline.h"
#include "plan/operator_facts.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/program_generator.h"

namespace stencilgen::testing {
namespace {

const std::vector<std::string> kIterators = {"k", "j", "i"};
const std::vector<std::string> kSizes = {"L", "M", "N"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed)
      : prng_(seed), rank_(static_cast<std::size_t>(prng_.Range(1, 3))) {}

  /// `v` is a stencil over `u`, in all of the array by a boundary mode or inside; sums and minima
  /// of both follow it over the same points, or others, or before it.
  TestProgram Make() {
    const bool everywhere = prng_.Percent(60);
    const bool in_place = prng_.Percent(30);
    const std::vector<std::string> its(kIterators.end() - static_cast<std::ptrdiff_t>(rank_),
                                       kIterators.end());
    const std::vector<std::string> sizes(kSizes.end() - static_cast<std::ptrdiff_t>(rank_),
                                         kSizes.end());
    std::string shape = fmt::format("[{}]", fmt::join(sizes, ","));
    std::string text =
        fmt::format("parameter {}, T;\niterator {};\ndouble u{}, v{}, w{}, s, r, q;\n",
                    fmt::join(sizes, ", "), fmt::join(its, ", "), shape, shape, shape);
    text += "copyin u, v, w, s, r, q;\n";
    const char* modes[] = {"clamp", "mirror", "wrap", "constant(0.5)", "mirror101"};
    if (everywhere) text += fmt::format("boundary u = {};\n", modes[prng_.Range(0, 4)]);
    text += fmt::format("stencil step (v, u, w) {{\n  {}v{} = {};\n}}\n",
                        prng_.Percent(30) ? fmt::format("w{0} = 0.5*w{0} + u{0};\n  ", At()) : "",
                        At(), Sum());
    text += fmt::format("stencil first (s, u, v) {{ s = {}; }}\n", Reduction("v"));
    text += fmt::format("stencil second (r, u, v, w, s) {{ r = {}; }}\n", Reduction("w"));
    text += fmt::format("stencil third (q, v) {{ q = {}; }}\n", Reduction("v"));
    text += fmt::format("stencil back (u, v, s) {{ u{0} = 0.5*v{0} + 0.001*s; }}\n", At());
    const std::string inner = everywhere ? "" : Inside(sizes);
    const std::string whole = prng_.Percent(70) ? inner : "";
    std::vector<std::string> calls = {
        fmt::format("{}step (v, u, w);", inner), fmt::format("{}first (s, u, v);", whole),
        fmt::format("{}second (r, u, v, w, s);", whole), fmt::format("{}third (q, v);", inner)};
    if (prng_.Percent(40)) std::swap(calls[1], calls[3]);
    if (prng_.Percent(20)) std::swap(calls[0], calls[3]);
    calls.push_back(in_place ? fmt::format("{}back (u, v, s);", inner) : "swap u, v;");
    text += fmt::format("iterate T {{\n  {}\n}}\ncopyout u, v, w, s, r, q;\n",
                        fmt::join(calls, "\n  "));
    TestProgram program;
    program.name = "fused_reduction";
    program.text = text;
    for (int run = 0; run < 2; ++run) {
      std::map<std::string, std::int64_t> values = {{"T", prng_.Range(1, 3)}};
      const int most[] = {1, 3000, 150, 40};
      for (const std::string& size : sizes)
        values[size] = prng_.Range(1, run == 0 ? 20 : most[rank_]);
      program.sizes.push_back(values);
    }
    return program;
  }

 private:
  std::string Element(const std::string& array, std::size_t along, std::int64_t offset) {
    std::string text = array;
    for (std::size_t n = 0; n < rank_; ++n) {
      const std::string& it = kIterators[3 - rank_ + n];
      text +=
          n == along && offset != 0 ? fmt::format("[{}{:+}]", it, offset) : fmt::format("[{}]", it);
    }
    return text;
  }
  std::string At() { return Element("", 0, 0); }
  std::string Sum() {
    std::string text = "0.25*" + Element("u", 0, 0);
    for (std::size_t n = 0; n < rank_; ++n) {
      if (prng_.Percent(80)) text += " + 0.125*" + Element("u", n, -prng_.Range(1, 2));
      if (prng_.Percent(80)) text += " - 0.25*" + Element("u", n, prng_.Range(1, 2));
    }
    return text;
  }
  std::string Reduction(const std::string& other) {
    const char* ops[] = {"sum", "min", "max", "norm2"};
    const std::string v = Element("v", 0, 0);
    const std::string values[] = {v, v + "*" + Element("u", 0, 0),
                                  "abs(" + v + " - " + Element(other, 0, 0) + ")",
                                  Element("u", 0, 0) + "*0.5"};
    const std::string value = values[prng_.Range(0, other == "v" ? 0 : 3)];
    return fmt::format("{}({})", ops[prng_.Range(0, 3)], value);
  }
  /// Points two from all edges.
  std::string Inside(const std::vector<std::string>& sizes) {
    std::vector<std::string> ranges;
    for (const std::string& size : sizes) ranges.push_back(fmt::format("2:{}-3", size));
    return fmt::format("[{}] : ", fmt::join(ranges, ","));
  }

  Prng prng_;
  std::size_t rank_;
};

struct Outcome {
  std::string error;
  int fused = 0;  ///< kernels with a reduction and something else
};

Outcome Check(const TestProgram& program, driver::Target target, std::uint64_t seed) {
  Prng prng(seed);
  driver::PipelineOptions options;
  options.target = target;
  options.verify = true;
  options.codegen.fp = FpMode::Strict;
  options.given.fusion = prng.Percent(50);
  options.schedule.fusion = prng.Percent(50) ? plan::Fusion::Max : plan::Fusion::Greedy;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return {RenderText(source, sink.diagnostics(), 0, false)};
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
  }
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  Outcome outcome;
  for (const plan::Kernel& kernel : plan.kernels) {
    const bool reduces = plan::FindReduction(plan.graph, kernel.ops) != nullptr;
    outcome.fused += reduces && kernel.ops.size() > 1 ? 1 : 0;
  }
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  for (const ProgramRun& run : runs) {
    kernel::ExecuteOptions execution = DrawExecution(&prng);
    const int threads[] = {1, 2, 3, 7, 64};
    execution.host_threads = threads[prng.Range(0, 4)];
    const bool grid = target == driver::Target::Cuda;
    if (grid) execution.races = kernel::DataRaces::Unset;
    outcome.error = CheckModule(module, run, {execution});
    if (!outcome.error.empty()) break;
  }
  return outcome;
}

int CheckSeeds(driver::Target target, std::uint64_t count) {
  int fused = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const TestProgram program = Generator(seed).Make();
    const Outcome outcome = Check(program, target, seed);
    INFO(ToFileText(program));
    INFO(seed << ": " << outcome.error);
    CHECK(outcome.error.empty());
    fused += outcome.fused;
  }
  return fused;
}

TEST_CASE("reductions share nests with what makes their operands") {
  CHECK(CheckSeeds(driver::Target::Cpp, 400) > 300);
}

TEST_CASE("reductions share a GPU's kernels with what makes their operands") {
  CHECK(CheckSeeds(driver::Target::Cuda, 400) > 300);
}

}  // namespace
}  // namespace stencilgen::testing
