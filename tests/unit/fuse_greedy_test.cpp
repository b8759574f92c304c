#include "plan/fuse_greedy.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "plan/plan_fused.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen {
namespace {

TEST_CASE("dump", "[.dump]") {
  std::string text;
  for (const testing::Benchmark& b : testing::Benchmarks())
    if (b.name == (getenv("B") ? getenv("B") : "hypterm"))
      text = getenv("DBL") ? b.text : b.SinglePrecisionText();
  DiagnosticSink sink;
  const SourceFile source("p.idsl", text);
  const auto graph = driver::CompileToGraph(source, {}, sink);
  plan::Schedule s;
  s.block = {32, getenv("BY") ? atoi(getenv("BY")) : 32, 1};
  s.stream = plan::Stream{0, 0};
  s.shared_memory = true;
  plan::FusionSettings f;
  f.device = plan::FindDevice(getenv("DEV") ? getenv("DEV") : "sm_35");
  f.register_limit = getenv("R") ? atoi(getenv("R")) : 32;
  f.blocks_per_sm = getenv("NB") ? atoi(getenv("NB")) : 2;
  f.tiles = getenv("TILES");
  s.objective = plan::FusionObjective(getenv("O") ? atoi(getenv("O")) : 0);
  if (getenv("H"))
    f.check = [&](const plan::FusionProposal& q) -> std::optional<plan::FusionRefusal> {
      std::vector<int> o;
      for (auto n : q.ops) o.push_back(int(n.index) + 1);
      std::printf("  CHECK");
      for (int x : o) std::printf(" %d", x);
      std::printf("\n");
      std::vector<int> bad = {4, 5, 13, 14};
      std::vector<int> b2 = {10, 11, 13, 14}, b3 = {1, 2, 3};
      if (o.size() > 4 || std::includes(o.begin(), o.end(), b2.begin(), b2.end()) ||
          std::includes(o.begin(), o.end(), b3.begin(), b3.end()) ||
          std::includes(o.begin(), o.end(), bad.begin(), bad.end()))
        return plan::FusionRefusal{plan::FusionConstraint::Spills, "spills"};
      return std::nullopt;
    };
  auto r = plan::FuseGreedy(*graph, s, f);
  if (f.tiles) r = plan::PlanFused(*graph, s, f).fusion;
  for (auto& region : r.regions) {
    for (auto& step : region.steps) {
      auto show = [&](const plan::FusionCandidate& c) {
        std::string t = "{";
        for (int o : c.left) t += std::to_string(o + 1) + " ";
        t += "}+{";
        for (int o : c.right) t += std::to_string(o + 1) + " ";
        t += "} (" + std::to_string(c.tuple.data_movement) + "," +
             std::to_string(c.tuple.registers) + "," + std::to_string(c.tuple.shared) + "," +
             std::to_string(c.tuple.saved_registers) + "," + std::to_string(c.tuple.saved_shared) +
             ")";
        return t;
      };
      std::printf("step: %zu more\n", step.more);
      for (auto& c : step.candidates) std::printf("   cand %s\n", show(c).c_str());
      for (auto& c : step.refused)
        std::printf("   REFUSED %s: %s: %s\n", show(c.candidate).c_str(),
                    std::string(ToString(c.refusal.constraint)).c_str(), c.refusal.reason.c_str());
      if (step.taken)
        std::printf("   TAKEN %s %g -> %g us\n", show(*step.taken).c_str(),
                    step.seconds_apart * 1e6, step.seconds_fused * 1e6);
    }
    for (auto& u : region.undone) std::printf("undone %s\n", u.refusal.reason.c_str());
    for (auto& c : region.clusters) {
      std::printf("{");
      for (auto n : c) {
        auto at = std::find(region.operators.begin(), region.operators.end(), n);
        std::printf(" %d", int(at - region.operators.begin()) + 1);
      }
      std::printf(" } ");
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace stencilgen
