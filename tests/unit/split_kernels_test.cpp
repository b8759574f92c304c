#include "passes/split_kernels.h"

#include <algorithm>
#include <set>

#include "driver/pipeline.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/cut_statement.h"
#include "support/catch.h"
#include "support/graph_of_text.h"
#include "support/program_run.h"
#include "support/suite.h"

namespace stencilgen::passes {
namespace {

using testing::GraphOf;

using graph::Graph;
using graph::NodeId;
using graph::Operator;

constexpr CrossingRule kRecompute{Crossing::Recompute, 0};
constexpr CrossingRule kStore{Crossing::Store, 0};

const Operator& At(const Graph& graph, NodeId node) {
  return std::get<Operator>(graph.nodes[node]);
}

/// Names of the arrays that each part writes.
std::vector<std::vector<std::string>> Written(const Fission& fission) {
  std::vector<std::vector<std::string>> written;
  for (const Stretch& stretch : fission.report.stretches) {
    for (const std::vector<NodeId>& part : stretch.parts) {
      written.emplace_back();
      for (const NodeId node : part) {
        const Graph& graph = fission.graph;
        written.back().push_back(graph.arrays[graph.versions[At(graph, node).result].array].name);
      }
    }
  }
  return written;
}

using Names = std::vector<std::vector<std::string>>;

/// Two statements that share a scalar, in a program of one dimension.
constexpr const char* kShared =
    "parameter N=40; iterator i; double u[N], v[N], w[N]; copyin u; "
    "stencil s (A, B, C) { double d; d = A[i+1]*A[i+1] - A[i-1]; "
    "[1:N-2] : B[i] = d*d + A[i]; [1:N-2] : C[i] = d - 2.0*A[i]; } "
    "s (u, v, w); copyout v, w;";

/// Both graphs with the same inputs give the same bits.
void CheckSame(const Graph& a, const Graph& b, const testing::TestProgram& program) {
  for (std::size_t run = 0; run < program.sizes.size(); ++run) {
    const testing::ProgramRun want = testing::PrepareRun(a, program, run, 7);
    const testing::ProgramRun got = testing::PrepareRun(b, program, run, 7);
    REQUIRE(got.reference.error == want.reference.error);
    REQUIRE(want.reference.error.empty());
    for (const testing::RunObject& array : want.arrays) {
      if (array.output < 0) continue;
      const auto& values = got.reference.outputs[static_cast<std::size_t>(array.output)];
      CHECK(testing::Compare(array, values, want.reference, 0) == "");
    }
  }
}

}  // namespace

TEST_CASE("CutEvenly balances and leaves no run empty") {
  using Weights = std::vector<std::int64_t>;
  using Places = std::vector<std::size_t>;
  CHECK(CutEvenly({}, 3).empty());
  CHECK(CutEvenly({5}, 3) == Places{0});
  CHECK(CutEvenly({1, 1, 1, 1}, 2) == Places{0, 2});
  CHECK(CutEvenly({1, 1, 1, 9}, 2) == Places{0, 3});
  CHECK(CutEvenly({9, 1, 1, 1}, 3).size() == 3);
  CHECK(CutEvenly({3, 1, 1, 3, 1, 1}, 2) == Places{0, 3});
  // Against all ways to cut.
  const Weights weights = {4, 1, 7, 2, 2, 9, 1, 3};
  const auto heaviest = [&](const Places& first) {
    std::int64_t most = 0;
    for (std::size_t r = 0; r < first.size(); ++r) {
      const std::size_t end = r + 1 < first.size() ? first[r + 1] : weights.size();
      std::int64_t sum = 0;
      for (std::size_t k = first[r]; k < end; ++k) sum += weights[k];
      most = std::max(most, sum);
    }
    return most;
  };
  for (int parts = 1; parts <= 8; ++parts) {
    std::int64_t best = 1000;
    for (unsigned mask = 0; mask < 128; ++mask) {
      Places first = {0};
      for (std::size_t k = 1; k < weights.size(); ++k) {
        if ((mask >> (k - 1) & 1U) != 0) first.push_back(k);
      }
      if (first.size() == static_cast<std::size_t>(parts)) best = std::min(best, heaviest(first));
    }
    const Places cut = CutEvenly(weights, parts);
    CHECK(cut.size() == static_cast<std::size_t>(parts));
    CHECK(heaviest(cut) == best);
  }
}

TEST_CASE("a scalar of statements in two kernels is recomputed or stored") {
  const Graph graph = GraphOf(kShared);
  const Fission recomputed = SplitKernels(graph, 2, kRecompute);
  CHECK(graph::Verify(recomputed.graph).empty());
  CHECK(Written(recomputed) == Names{{"v"}, {"w"}});
  REQUIRE(recomputed.report.crossings.size() == 1);
  CHECK(recomputed.report.crossings[0].name == "d");
  CHECK_FALSE(recomputed.report.crossings[0].stored);
  CHECK(recomputed.report.crossings[0].kernels == 2);
  CHECK(recomputed.report.crossings[0].flops == 2);

  const Fission stored = SplitKernels(graph, 2, kStore);
  CHECK(graph::Verify(stored.graph).empty());
  CHECK(Written(stored) == Names{{"d_0", "v"}, {"w"}});
  CHECK(stored.report.crossings[0].stored);
  const std::string text = graph::Print(stored.graph);
  INFO(text);
  CHECK(text.find("d_0.0 = s [i in 1..N - 2]: u.0[i + 1]*u.0[i + 1] - u.0[i - 1]") !=
        std::string::npos);
  CHECK(text.find("let double d = d_0.0[i]") != std::string::npos);
}

TEST_CASE("Cheaper stores what costs more to compute than to move") {
  const Graph graph = GraphOf(kShared);
  // Two flops saved, 16 bytes moved.
  CHECK_FALSE(SplitKernels(graph, 2, {Crossing::Cheaper, 0.2}).report.crossings[0].stored);
  CHECK(SplitKernels(graph, 2, {Crossing::Cheaper, 0.1}).report.crossings[0].stored);
}

TEST_CASE("a scalar is not stored over fewer points than it is used at") {
  const Graph graph = GraphOf(
      "parameter N=40; iterator i; double u[N], v[N], w[N]; copyin u, w; "
      "stencil s (A, B, C) { double d; d = A[i]*A[i]; "
      "[2:N-3] : B[i] = d + A[i]; [1:N-2] : C[i] = d - 2.0*A[i]; } "
      "s (u, v, w); copyout v, w;");
  const Fission fission = SplitKernels(graph, 2, kStore);
  CHECK(Written(fission) == Names{{"v"}, {"w"}});
  REQUIRE(fission.report.crossings.size() == 1);
  CHECK_FALSE(fission.report.crossings[0].stored);
}

TEST_CASE("a result that is read at its own point is recomputed, one read around it stored") {
  const auto program = [](const std::string& index) {
    return GraphOf(
        "parameter N=40; iterator i; double u[N], v[N]; copyin u; "
        "stencil s (A, B) { double t[N]; [1:N-2] : t[i] = A[i-1] + A[i+1]; "
        "[2:N-3] : B[i] = t[" +
        index + "]*A[i]; } s (u, v); copyout v;");
  };
  const Fission own = SplitKernels(program("i"), 2, kRecompute);
  CHECK(graph::Verify(own.graph).empty());
  CHECK(Written(own) == Names{{"v"}});
  const std::string text = graph::Print(own.graph);
  INFO(text);
  CHECK(text.find("let double t = u.0[i - 1] + u.0[i + 1]") != std::string::npos);
  CHECK(Written(SplitKernels(program("i"), 2, kStore)) == Names{{"t_0"}, {"v"}});
  CHECK(Written(SplitKernels(program("i+1"), 2, kRecompute)) == Names{{"t_0"}, {"v"}});
}

TEST_CASE("accumulations into one array stay together where there are parts enough") {
  const Graph graph = GraphOf(
      "parameter N=40; iterator i; double u[N], v[N], w[N]; copyin u, v, w; "
      "stencil s (A, B, C) { [1:N-2] : B[i] += A[i-1]; [1:N-2] : B[i] += A[i+1]; "
      "[1:N-2] : B[i] += A[i]*A[i-1]*A[i+1]; [1:N-2] : C[i] += A[i]; } "
      "s (u, v, w); copyout v, w;");
  CHECK(Written(SplitKernels(graph, 2, kStore)) == Names{{"v", "v", "v"}, {"w"}});
  CHECK(Written(SplitKernels(graph, 4, kStore)) == Names{{"v"}, {"v"}, {"v"}, {"w"}});
}

TEST_CASE("a long statement is cut into sums that grow") {
  std::string sum = "A[i]";
  for (int k = 1; k <= 30; ++k) sum += " + " + std::to_string(k) + ".0*A[i]";
  const Graph graph = GraphOf(
      "parameter N=40; iterator i; double u[N], v[N]; copyin u; "
      "stencil s (A, B) { B[i] = " +
      sum + "; } s (u, v); copyout v;");
  const Fission fission = SplitKernels(graph, 3, kRecompute);
  CHECK(graph::Verify(fission.graph).empty());
  CHECK(Written(fission) == Names{{"v_part_0"}, {"v_part2_0"}, {"v"}});
  CHECK(fission.report.refusals.empty());
  for (const Stretch& stretch : fission.report.stretches) {
    for (const std::vector<NodeId>& part : stretch.parts) {
      CHECK(graph::FlopsPerPoint(fission.graph, At(fission.graph, part[0])) == 20);
    }
  }
}

TEST_CASE("what only one branch evaluates is not computed for both") {
  std::string sum = "A[i-1]";
  for (int k = 1; k <= 30; ++k) sum += " + " + std::to_string(k) + ".0*A[i-1]";
  Graph graph = GraphOf(
      "parameter N=40; iterator i; double u[N], v[N]; copyin u; "
      "stencil s (A, B) { [1:N-1] : B[i] = A[i] > 0.0 ? " +
      sum + " : A[i]; } s (u, v); copyout v;");
  const Fission fission = SplitKernels(graph, 3, kRecompute);
  CHECK(Written(fission) == Names{{"v"}});
  REQUIRE(fission.report.refusals.size() == 1);
  CHECK(fission.report.refusals[0] == "s has 1 statement of 61 flops: 1 part at most");
}

TEST_CASE("splitting keeps what programs of several statements compute, bit for bit") {
  const std::set<std::string> names = {"rhs4center", "diffterm", "hypterm", "curl",  "harris",
                                       "unsharp",    "swim",     "denoise", "cheby", "3d125pt"};
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (names.count(benchmark.name) == 0) continue;
    const Graph graph = GraphOf(benchmark.text);
    testing::TestProgram program;
    program.sizes = {benchmark.small};
    program.lowest_input = benchmark.lowest_input;
    for (const int parts : {1, 2, 3, 7}) {
      for (const Crossing crossing : {Crossing::Recompute, Crossing::Store, Crossing::Cheaper}) {
        INFO(benchmark.name << " in " << parts << ", " << ToString(crossing));
        const Fission fission = SplitKernels(graph, parts, {crossing, 6});
        REQUIRE(graph::Verify(fission.graph).empty());
        // Each operator on an array is in one part, and parts follow the graph's order.
        for (const Stretch& stretch : fission.report.stretches) {
          std::vector<NodeId> all;
          for (const auto& part : stretch.parts) all.insert(all.end(), part.begin(), part.end());
          const auto& nodes = fission.graph.regions[stretch.region].nodes;
          CHECK(std::search(nodes.begin(), nodes.end(), all.begin(), all.end()) != nodes.end());
        }
        CheckSame(graph, fission.graph, program);
      }
    }
  }
}

}  // namespace stencilgen::passes
