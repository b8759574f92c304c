// Programs whose arrays all have boundary modes, with random schedules of tiles, as structured code
// that kernel::Execute runs.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/pipeline.h"
#include "plan/tile_edges.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/code_executor.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/schedule_generator.h"

namespace stencilgen::testing {
namespace {

class EdgeProgram {
 public:
  explicit EdgeProgram(std::uint64_t seed) : prng_(seed) {
    rank_ = prng_.Range(1, 3);
    reach_ = prng_.Range(1, rank_ == 3 ? 2 : 3);
  }

  TestProgram Make() {
    static const std::vector<std::string> kIterators[] = {{"i"}, {"j", "i"}, {"k", "j", "i"}};
    static const std::vector<std::string> kExtents[] = {{"N"}, {"M", "N"}, {"L", "M", "N"}};
    iterators_ = kIterators[rank_ - 1];
    const std::vector<std::string>& extents = kExtents[rank_ - 1];
    TestProgram program;
    std::string& text = program.text;
    text = fmt::format("parameter {}, T;\niterator {};\n", fmt::join(extents, ", "),
                       fmt::join(iterators_, ", "));
    const std::string shape = fmt::format("[{}]", fmt::join(extents, ","));
    const char* type = prng_.Percent(70) ? "double" : "float";
    text += fmt::format("{} u{}, v{}, w{}, c{};\n", type, shape, shape, shape, shape);
    // Swapped arrays have the same modes, so that a time step is like the next.
    const std::string modes = Modes();
    text += fmt::format("boundary u = {}, v = {}, w = {};\n", modes, modes, Modes());
    text += "copyin u, w, c;\n";
    text += fmt::format("stencil relax (v, u, c) {{ v{} = {}; }}\n", Point(), Sum("u"));
    text += fmt::format("stencil mix (w, v, u, c) {{ w{} = {} + 0.5*{}; }}\n", Point(), Sum("v"),
                        prng_.Percent(50) ? Sum("u") : "u" + Point());
    const bool second = prng_.Percent(50);
    text += fmt::format("iterate T {{ relax (v, u, c); {}swap u, v; }}\n",
                        second ? "mix (w, v, u, c); " : "");
    text += "copyout u, w;\n";
    program.name = "edges";
    SetSchedule(&program, RandomSchedule(&prng_, rank_));
    static const std::vector<int> kSizes = {1, 2, 3, 5, 13, 34};
    for (int run = 0; run < 2; ++run) {
      program.sizes.emplace_back();
      for (const std::string& extent : extents) {
        program.sizes.back()[extent] = std::min(prng_.Pick(kSizes), rank_ == 3 ? 13 : 34);
      }
      program.sizes.back()["T"] = prng_.Range(1, 5);
    }
    return program;
  }

 private:
  std::string Mode() {
    static const std::vector<std::string> kModes = {"clamp", "mirror", "mirror101",
                                                    "wrap",  "wrap",   "extrapolate"};
    return prng_.Percent(80) ? prng_.Pick(kModes) : fmt::format("constant({})", prng_.Below(4));
  }
  std::string Modes() {
    if (prng_.Percent(60)) return Mode();
    std::vector<std::string> modes;
    for (int d = 0; d < rank_; ++d) modes.push_back(Mode());
    return fmt::format("[{}]", fmt::join(modes, ", "));
  }
  std::string Point(const std::vector<int>& offsets = {}) const {
    std::string text;
    for (std::size_t d = 0; d < iterators_.size(); ++d) {
      const int offset = offsets.empty() ? 0 : offsets[d];
      text += offset == 0 ? fmt::format("[{}]", iterators_[d])
                          : fmt::format("[{}{:+}]", iterators_[d], offset);
    }
    return text;
  }
  /// Elements around a point: along one dimension, or of a box.
  std::string Sum(const std::string& array) {
    const bool box = prng_.Percent(40);
    std::vector<std::string> terms;
    const int count = prng_.Range(2, 6);
    for (int n = 0; n < count; ++n) {
      std::vector<int> offsets(iterators_.size(), 0);
      const int along = prng_.Below(rank_);
      for (int d = 0; d < rank_; ++d) {
        if (box || d == along) {
          offsets[static_cast<std::size_t>(d)] = prng_.Range(-reach_, reach_);
        }
      }
      terms.push_back(fmt::format("0.{}*{}{}", prng_.Range(1, 9), array, Point(offsets)));
    }
    const std::string sum = fmt::format("({})", fmt::join(terms, " + "));
    return prng_.Percent(30) ? "c" + Point() + "*" + sum : sum;
  }

  Prng prng_;
  int rank_ = 1, reach_ = 1;
  std::vector<std::string> iterators_;
};

/// Tiles of several statements, by what their blocks at edges do.
struct Tiles {
  int around = 0, moved = 0;
  void Count(const plan::Plan& plan) {
    for (const plan::Kernel& kernel : plan.kernels) {
      if (!kernel.tile || kernel.tile->ops.size() < 2) continue;
      for (const plan::TileVersion& version : kernel.tile->versions) {
        around += !version.loaded && version.wraps != std::array<bool, 3>{} ? 1 : 0;
      }
      for (int op = 1; op < static_cast<int>(kernel.tile->ops.size()); ++op) {
        moved += FindEdgeReads(plan.graph, *kernel.tile, op).empty() ? 0 : 1;
      }
    }
  }
};

std::string Check(std::uint64_t seed, Tiles& tiles, std::string& text) {
  const TestProgram program = EdgeProgram(seed).Make();
  text = ToFileText(program);
  driver::PipelineOptions options = OptionsOf(program);
  options.target = driver::Target::Cuda;
  options.given.fusion = true;
  options.verify = false;
  options.codegen.fp = FpMode::Strict;
  options.schedule.form = plan::Form::Gather;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) return "not accepted";
  std::vector<ProgramRun> runs;
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    runs.push_back(PrepareRun(*graph, program, run, seed));
    if (!runs.back().reference.error.empty()) return runs.back().reference.error;
  }
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  const std::vector<std::string> problems = plan::Verify(plan);
  if (!problems.empty()) return problems.front();
  tiles.Count(plan);
  const kernel::Module module =
      driver::LowerPlan(plan, options, driver::CodeOptions(plan, source, options));
  kernel::ExecuteOptions execution;
  execution.order = seed % 2 == 0 ? kernel::RunOrder::Random : kernel::RunOrder::Backward;
  execution.seed = static_cast<unsigned>(seed);
  execution.races = kernel::DataRaces::Unset;
  for (const ProgramRun& run : runs) {
    std::string error = CheckModule(module, run, {execution});
    if (!error.empty()) return error;
  }
  return "";
}

TEST_CASE("tiles are exact at the edges of arrays with boundary modes") {
  Tiles tiles;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    std::string text;
    const std::string error = Check(seed, tiles, text);
    INFO(text);
    INFO(seed << ": " << error);
    CHECK(error.empty());
  }
  CHECK(tiles.around >= 100);
  CHECK(tiles.moved >= 100);
}

}  // namespace
}  // namespace stencilgen::testing
