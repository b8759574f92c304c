// Random programs with random schedules as far as the text of their kernels: every plan verifies,
// and together they use every feature of tiles.
#include <map>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "graph/extrapolated.h"
#include "kernel/liveness.h"
#include "kernel/verify.h"
#include "lower/cuda/tile_body.h"
#include "plan/barriers.h"
#include "plan/build_tile.h"
#include "plan/print.h"
#include "plan/tile_body.h"
#include "plan/tile_edges.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/program_generator.h"
#include "support/schedule_text.h"

namespace stencilgen::testing {
namespace {

/// How many tiles have what.
class Features {
 public:
  void Count(const plan::Plan& plan) {
    for (const plan::Kernel& kernel : plan.kernels) {
      if (kernel.tile) CountTile(plan.graph, *kernel.tile);
    }
  }
  int operator[](const std::string& name) const {
    const auto at = counts_.find(name);
    return at == counts_.end() ? 0 : at->second;
  }

 private:
  void CountTile(const graph::Graph& graph, const plan::Tile& tile) {
    ++counts_["tile"];
    if (tile.stream) ++counts_[tile.chunk > 0 ? "concurrent" : "serial"];
    if (tile.ops.size() > 1) ++counts_["fused"];
    if (tile.ops.size() > 2) ++counts_["fused three"];
    if (plan::CountBarriers(tile) > 0) ++counts_["barrier"];
    if (tile.Points() > 1) ++counts_["several points"];
    if (!(tile.halo == plan::Halo{})) ++counts_["halo"];
    bool edges = false;
    bool background = false, memory_background = false, shuffled = false, slots = false;
    for (int k = 0; k < static_cast<int>(tile.ops.size()); ++k) {
      const bool needed = tile.ops[static_cast<std::size_t>(k)].background;
      const bool held = FindBackground(graph, tile, k).has_value();
      background = background || (needed && held);
      memory_background = memory_background || (needed && !held);
      edges = edges || (tile.ops.size() > 1 && !FindEdgeReads(graph, tile, k).empty());
      for (const plan::TileRead& read : FindReads(graph, tile, k)) {
        shuffled = shuffled || PathOf(tile, read, {0, 0, 0}) == plan::ReadPath::Shuffle;
      }
    }
    for (const plan::TileVersion& version : tile.versions) {
      slots = slots || version.slots > version.LastShared() - version.FirstShared() + 1;
    }
    if (background) ++counts_["background in the tile"];
    if (memory_background) ++counts_["background in memory"];
    if (shuffled) ++counts_["shuffle"];
    if (slots) ++counts_["plane more"];
    if (edges) ++counts_["reads moved at edges"];
    for (const plan::TileStore& store : tile.stores) counts_["whole store"] += store.whole ? 1 : 0;
  }

  std::map<std::string, int> counts_;
};

TEST_CASE("plans of random programs with random schedules verify") {
  constexpr std::uint64_t kFirst = 700000;
  constexpr std::uint64_t kPrograms = 600;
  Features features;
  for (std::uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    const SourceFile source(program.name, program.text);
    driver::PipelineOptions options = OptionsOf(program);
    options.verify = false;
    DiagnosticSink sink;
    INFO("seed " << seed << "\n" << ToFileText(program));
    const auto compiled = driver::Compile(source, options, sink);
    REQUIRE(compiled);
    INFO(plan::Print(compiled->plan));
    REQUIRE(plan::Verify(compiled->plan) == std::vector<std::string>{});
    features.Count(compiled->plan);
  }
  for (const char* name :
       {"tile", "concurrent", "serial", "fused", "fused three", "barrier", "several points", "halo",
        "background in the tile", "background in memory", "shuffle", "plane more", "whole store",
        "reads moved at edges"}) {
    INFO(name);
    CHECK(features[name] >= 5);
  }
}

/// What FindSums keeps for operators that are alike is what each of them has.
void CheckSums(const graph::Graph& graph, const plan::Kernel& kernel) {
  const plan::Tile& tile = *kernel.tile;
  const plan::TileSums sums = plan::FindSums(graph, kernel);
  REQUIRE(sums.size() == tile.ops.size());
  const plan::SumRules rules = {kernel::Distribute::WhereFree, plan::MayShareSums(kernel.schedule)};
  const graph::Graph inside = graph::WithoutLines(graph);
  for (std::size_t op = 0; op < sums.size(); ++op) {
    const auto number = static_cast<int>(op);
    const plan::TileBody body = plan::WriteBody(graph, tile, number, plan::PointsOf(tile), rules);
    REQUIRE(sums[op].shared == body.shared);
    const plan::SumRules apart = {rules.distribute, false};
    const std::int64_t lines =
        plan::WriteBody(inside, tile, number, plan::PointsOf(tile), apart).arithmetic;
    // The lines that go on beyond ends are left out, where there are any.
    const bool equal = sums[op].arithmetic == body.arithmetic;
    REQUIRE((equal || (!body.shared && sums[op].arithmetic == lines)));
  }
}

TEST_CASE("no order of a random tile has more values live than its program") {
  constexpr std::uint64_t kFirst = 710000;
  constexpr std::uint64_t kPrograms = 120;
  int bodies = 0;
  int shorter = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    const TestProgram program = GenerateProgram(seed);
    const SourceFile source(program.name, program.text);
    driver::PipelineOptions options = OptionsOf(program);
    options.codegen.fp = FpMode::Fast;
    options.codegen.reorder.how = program.reorder;
    DiagnosticSink sink;
    INFO("seed " << seed << "\n" << ToFileText(program));
    auto graph = driver::CompileToGraph(source, options, sink);
    REQUIRE(graph);
    const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
    const lower::ProgramModel model(plan, options.codegen);
    for (const plan::KernelId kernel : plan.kernels.Ids()) {
      const auto& tile = plan.kernels[kernel].tile;
      if (tile) CheckSums(plan.graph, plan.kernels[kernel]);
      for (std::size_t op = 0; tile && op < tile->ops.size(); ++op) {
        const auto body =
            lower::cuda::OrderTile(model, kernel, static_cast<int>(op), plan::PointsOf(*tile));
        REQUIRE(kernel::Verify(body.written) == std::vector<std::string>{});
        REQUIRE(kernel::Verify(body.ordered) == std::vector<std::string>{});
        REQUIRE(kernel::MaxLive(body.ordered) <= kernel::MaxLive(body.written));
        REQUIRE(body.ordered.results.size() == body.written.results.size());
        ++bodies;
        shorter += kernel::MaxLive(body.ordered) < kernel::MaxLive(body.written) ? 1 : 0;
      }
    }
  }
  CHECK(bodies >= 100);
  CHECK(shorter >= 10);
}

}  // namespace
}  // namespace stencilgen::testing
