// The case study of [S] 3.6 (Rawat, *Optimization of Stencil Computations on GPUs*, Ohio State
// 2018): hypterm on the K20c. compiler/plan/fuse_greedy.md tells the steps.
#include <algorithm>
#include <string>
#include <vector>

#include "fuse_test_tools.h"
#include "plan/fuse_greedy.h"

namespace stencilgen::testing {
namespace {

/// Single precision, blocks of 32 x 32 threads that walk along k, two of them an SM, 32 registers.
struct CaseStudy {
  graph::Graph graph = GraphOf(BenchmarkCalled("hypterm").SinglePrecisionText());
  plan::Schedule schedule;
  plan::FusionSettings settings;
  std::vector<std::string> compiled;  ///< clusters that the check was asked for

  CaseStudy() {
    schedule.block = {32, 32, 1};
    schedule.stream = plan::Stream{0, 0};
    schedule.shared_memory = true;
    settings.device = machine::FindGpu("sm_35");
    settings.register_limit = 32;
    settings.blocks_per_sm = 2;
    settings.tiles = false;
    settings.logged_candidates = 200;
  }

  std::vector<int> PlacesOf(const plan::FusionProposal& proposal) const {
    const std::vector<graph::NodeId>& nodes = graph.regions[graph.root].nodes;
    std::vector<int> places;
    for (const graph::NodeId node : proposal.ops) {
      places.push_back(
          static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
    }
    return places;
  }

  /// What the compiler of the case study must have said: {4, 5, 13, 14} spills by the text, more
  /// than four statements by Figure 3.9, and the other two because the rules would else take them.
  void SpillAsInThePaper() {
    settings.check =
        [this](const plan::FusionProposal& proposal) -> std::optional<plan::FusionRefusal> {
      const std::string cluster = Text(PlacesOf(proposal));
      compiled.push_back(cluster);
      const std::vector<std::string> spilled = {"4 5 13 14", "10 11 13 14", "1 2 3"};
      const bool spills = proposal.ops.size() > 4 ||
                          std::find(spilled.begin(), spilled.end(), cluster) != spilled.end();
      if (!spills) return std::nullopt;
      return plan::FusionRefusal{plan::FusionConstraint::Spills, "it spills registers"};
    };
  }

  plan::RegionFusion Fuse() const {
    return plan::FuseGreedy(graph, schedule, settings).regions.front();
  }
};

const plan::FusionCandidate& Find(const plan::FusionStep& step, const std::string& pair) {
  for (const plan::FusionCandidate& candidate : step.candidates) {
    if (Text(candidate) == pair) return candidate;
  }
  FAIL("no candidate " << pair);
  return step.candidates.front();
}

TEST_CASE("hypterm: profitability as the case study has it") {
  const plan::RegionFusion region = CaseStudy().Fuse();
  const plan::FusionStep& first = region.steps.front();
  // Every pair but (x, z) of one flux: there the sum along y lies between.
  CHECK(first.candidates.size() + first.more == 15 * 14 / 2 - 5);
  // One array written twice and two read twice: the most.
  CHECK(Find(first, "13 + 14").tuple == plan::FusionTuple{3, 1, 4, 1, 2});
  // A saving of two each; {10, 11} with one buffer of shared memory less.
  CHECK(Find(first, "10 + 11").tuple == plan::FusionTuple{2, 1, 3, 1, 1});
  CHECK(Find(first, "4 + 5").tuple == plan::FusionTuple{2, 1, 4, 1, 1});
  CHECK(Find(first, "7 + 8").tuple == plan::FusionTuple{2, 1, 4, 1, 1});
  CHECK(Find(first, "1 + 2").tuple.data_movement == 1);
  // The statements along z hold eight planes of each input: 24 of three, 16 of two.
  CHECK(Find(first, "12 + 13").tuple.registers == 24 + 2);
  CHECK(Find(first, "6 + 7").tuple.registers == 16 + 2);
}

TEST_CASE("hypterm: the case study's steps and clusters, with its compiler's verdicts") {
  CaseStudy study;
  study.SpillAsInThePaper();
  const plan::RegionFusion region = study.Fuse();
  CHECK(TakenIn(region) == std::vector<std::string>{"13 + 14", "10 + 11", "4 + 5", "7 + 8",
                                                    "4 5 + 7 8", "1 + 2", "3 + 10 11",
                                                    "1 2 + 13 14"});
  CHECK(ClustersOf(region) == "1 2 13 14|3 10 11|4 5 7 8|6|9|12|15");
  // Five compilations of two statements and two of three, as in the paper; it counts two of four.
  const auto count = [&](std::size_t statements) {
    return std::count_if(study.compiled.begin(), study.compiled.end(), [&](const auto& cluster) {
      return static_cast<std::size_t>(std::count(cluster.begin(), cluster.end(), ' ')) + 1 ==
             statements;
    });
  };
  CHECK(count(2) == 5);
  CHECK(count(3) == 2);
  CHECK(count(4) == 4);
  CHECK(count(6) == 2);
  // What spilled is not compiled again as part of something larger.
  CHECK(study.compiled.size() == 13);
}

TEST_CASE("hypterm: statements along z stay alone for their registers") {
  const plan::RegionFusion region = CaseStudy().Fuse();
  for (const std::string alone : {"6", "9", "12", "15"}) {
    INFO(alone);
    const std::string clusters = fmt::format("|{}|", ClustersOf(region));
    CHECK(clusters.find(fmt::format("|{}|", alone)) != std::string::npos);
  }
  int refused = 0;
  for (const plan::FusionStep& step : region.steps) {
    for (const plan::RefusedCandidate& each : step.refused) {
      const std::string pair = Text(each.candidate);
      if (pair != "13 14 + 15") continue;
      ++refused;
      CHECK(each.refusal.constraint == plan::FusionConstraint::Registers);
      CHECK(each.refusal.reason.find("25 planes in registers take 25 of a thread") == 4);
    }
  }
  CHECK(refused == 1);
}

TEST_CASE("hypterm: without spills the rules go on until shared memory is full") {
  const plan::RegionFusion region = CaseStudy().Fuse();
  CHECK(ClustersOf(region) == "1 2 4 5 7 8 13 14|3 10 11|6|9|12|15");
  const plan::FusionStep& last = region.steps.back();
  CHECK_FALSE(last.taken);
  CHECK(Text(last.refused.front().candidate) == "1 2 4 5 7 8 13 14 + 3 10 11");
  CHECK(last.refused.front().refusal.reason ==
        "its 7 planes in shared memory take 28672 bytes, a block may have 24576");
}

}  // namespace
}  // namespace stencilgen::testing
