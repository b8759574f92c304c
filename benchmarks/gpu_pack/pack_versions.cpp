#include "gpu_pack/pack_versions.h"

#include <algorithm>

#include <fmt/format.h>

#include "baseline/plain_code.h"

namespace stencilgen::suite {
namespace {

using driver::Target;

constexpr std::int64_t kSteps = 1000;

/// [S] Table 5.3 does not unroll the longest, and those of CloverLeaf by two.
int PointsOf(const std::string& name) {
  if (name == "rhs4center" || name == "diffterm" || name == "helmholtz-v4") return 1;
  return name.rfind("clover2d", 0) == 0 ? 2 : 4;
}

std::size_t Statements(const graph::Graph& graph) {
  std::size_t count = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr) continue;
    if (graph.arrays[graph.versions[op->result].array].rank() > 0) ++count;
  }
  return count;
}

class Packer {
 public:
  Packer(const testing::Benchmark& benchmark, bool single, const PackedVersions& wanted)
      : benchmark_(benchmark), single_(single), wanted_(wanted) {}

  PackedProgram Run() && {
    AddSizes();
    const SourceFile source(benchmark_.name + ".idsl", Main().text);
    DiagnosticSink sink;
    driver::PipelineOptions options;
    options.program_name = benchmark_.Identifier();
    auto graph = driver::CompileToGraph(source, options, sink);
    if (!graph) {
      packed_.problem = RenderText(source, sink.diagnostics(), 0, false);
      return std::move(packed_);
    }
    packed_.graph = *std::move(graph);
    Add("default", {}, false);
    AddPlain();
    if (auto tuned = MakeTuned(Main(), Target::Cuda, machine::DefaultGpu().arch, true)) {
      Add(*std::move(tuned), true);
    }
    Add("unfused", {"--fusion", "none", "--shared-mem", "false", "--reorder", "none"}, false);
    if (benchmark_.suite == 'A' && Main().iterates) {
      const std::vector<const char*> tiles =
          single_ ? std::vector<const char*>{"1"} : std::vector<const char*>{"1", "2", "4", "8"};
      for (const char* steps : tiles) {
        Add(fmt::format("steps{}", steps), {"--time-tile", steps}, true);
      }
    }
    if (!single_ && Statements(packed_.graph) > 1) {
      for (const char* fusion : {"none", "max", "greedy"}) {
        Add(fmt::format("fusion_{}", fusion), {"--fusion", fusion}, true);
      }
    }
    if (!single_ && benchmark_.suite == 'B') AddOrders();
    AddPlans();
    for (const auto& [name, given] : wanted_.also) Add(name, given, true);
    return std::move(packed_);
  }

 private:
  const Program& Main() const { return packed_.sizes.front(); }

  void AddSizes() {
    testing::Benchmark long_run = benchmark_;
    if (long_run.full.count("T") > 0) long_run.full["T"] = kSteps;
    std::map<std::string, std::int64_t> sizes = long_run.full;
    if (wanted_.megabytes > 0) {
      auto small = SizesWithin(benchmark_, single_, 1048576 * wanted_.megabytes);
      if (sizes.count("T") > 0) small["T"] = kSteps;
      packed_.sizes.push_back(MakeProgram(long_run, single_, small));
      return;
    }
    const bool flat = sizes.count("L") == 0 && sizes.count("M") > 0;
    if (benchmark_.suite == 'A' && flat) {
      sizes["M"] = sizes["N"] = 16384;
      packed_.sizes.push_back(MakeProgram(long_run, single_, sizes));
    }
    packed_.sizes.push_back(MakeProgram(long_run, single_, long_run.full));
  }

  void Add(const std::string& name, const std::vector<std::string>& options, bool main_size_only) {
    Add(MakeOurs(Main(), Target::Cuda, name, options, true), main_size_only);
  }
  void Add(Version version, bool main_size_only) {
    if (!version.problem.empty() || version.text.empty()) return;
    const std::string body = BodyOf(version);
    if (std::find(bodies_.begin(), bodies_.end(), body) != bodies_.end()) return;
    bodies_.push_back(body);
    packed_.versions.push_back({std::move(version), {}, main_size_only});
  }

  void AddPlain() {
    Version plain;
    plain.name = "plain";
    plain.how = "a kernel a statement, global memory";
    plain.function = fmt::format("{}_{}_plain", benchmark_.Identifier(), Main().type());
    const auto text = baseline::PlainCuda(packed_.graph, plain.function, true, plain.problem);
    if (!text) return;
    plain.text = *text;
    packed_.versions.push_back({std::move(plain), {}, false});
  }

  void AddPlans() {
    if (wanted_.plans == 0) return;
    int count = 0;
    for (const auto& options : CheapestPlans(Main(), static_cast<std::size_t>(wanted_.plans))) {
      Add(fmt::format("plan{}", ++count), driver::ArgumentsOf(options), true);
    }
  }

  /// As written, unrolled and reordered, the registers left to the compilation.
  void AddOrders() {
    const graph::Graph& graph = packed_.graph;
    const int points = PointsOf(benchmark_.name);
    if (graph.iterators.size() < 2) return;
    const std::string unroll =
        fmt::format("{}={}", graph.iterators[graph.iterators.size() - 2], points);
    const auto add = [&](const char* name, const char* reorder, bool unrolled) {
      constexpr int kPlaceholder = 77;
      std::vector<std::string> options = {
          "--fusion", "none",      "--shared-mem", "false",   "--blockdim",
          "x=32,y=4", "--reorder", reorder,        "--cregs", fmt::format("{}", kPlaceholder)};
      if (unrolled && points > 1) options.insert(options.end(), {"--unroll", unroll});
      Version version = MakeOurs(Main(), Target::Cuda, name, options, true);
      if (!version.problem.empty()) return;
      // The number becomes a macro of the Makefile's.
      const std::string attribute = fmt::format("__maxnreg__({})", kPlaceholder);
      for (std::size_t at = 0; (at = version.text.find(attribute, at)) != std::string::npos;) {
        version.text.replace(at, attribute.size(), "__maxnreg__(REGISTERS)");
      }
      version.predicted = 0;  // spills are beyond the model
      version.how = fmt::format("{}{}", reorder, unrolled && points > 1 ? ", " + unroll : "");
      packed_.versions.push_back({std::move(version), wanted_.registers, true});
    };
    add("original", "none", false);
    if (points > 1) add("unrolled", "none", true);
    add("reordered", "lars", true);
  }

  const testing::Benchmark& benchmark_;
  const bool single_;
  const PackedVersions& wanted_;
  PackedProgram packed_;
  std::vector<std::string> bodies_;
};

}  // namespace

PackedProgram MakePacked(const testing::Benchmark& benchmark, bool single,
                         const PackedVersions& wanted) {
  return Packer(benchmark, single, wanted).Run();
}

}  // namespace stencilgen::suite
