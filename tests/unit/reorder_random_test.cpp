// Reordering leaves the meaning of bodies alone: random ones, and those of suite B.
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/uses.h"
#include "kernel/verify.h"
#include "passes/reorder.h"
#include "passes/reorder_lars.h"
#include "passes/shadow_accumulators.h"
#include "passes/statement_orders.h"
#include "passes/trees/flatten_sums.h"
#include "support/catch.h"
#include "support/random_body.h"
#include "support/suite.h"
#include "support/suite_bodies.h"

namespace stencilgen {
namespace {

using kernel::Body;
using passes::LarsObjective;
using passes::Reorder;

/// The instructions, first contributions like the others, in alphabetical order.
std::vector<std::string> Lines(const Body& body) {
  std::vector<std::string> lines;
  for (const auto& each : body.instructions) lines.push_back(kernel::Print(body, each, false));
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("LARS: every run of the scheduler has the same instructions and values") {
  for (int seed = 0; seed < 150; ++seed) {
    testing::Prng random(static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    REQUIRE(kernel::Verify(body).empty());
    for (const LarsObjective objective :
         {LarsObjective::Plain, LarsObjective::Interleave, LarsObjective::DepthFirst,
          LarsObjective::Gain, LarsObjective::InOrder, LarsObjective::Growth}) {
      for (const bool coefficients : {false, true}) {
        const Body reordered =
            kernel::InOrder(body, passes::LarsOrder(body, objective, passes::kGpuLatencies,
                                                    random.Range(0, 3), coefficients));
        INFO(seed << "\n" << kernel::Print(body) << "---\n" << kernel::Print(reordered));
        REQUIRE(kernel::Verify(reordered).empty());
        CHECK(Lines(reordered) == Lines(body));
        CHECK(ExactResults(reordered, 1) == ExactResults(body, 1));
      }
    }
  }
}

TEST_CASE("orders of statements are legal and differ, the body's own first") {
  for (int seed = 0; seed < 150; ++seed) {
    testing::Prng random(5000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    const auto orders = passes::StatementOrders(body, 6);
    INFO(seed << "\n" << kernel::Print(body));
    REQUIRE(!orders.empty());
    CHECK(orders.size() <= 6);
    CHECK(std::is_sorted(orders[0].begin(), orders[0].end()));
    for (std::size_t n = 0; n < orders.size(); ++n) {
      const Body permuted = kernel::InOrder(body, orders[n]);
      CHECK(kernel::Verify(permuted).empty());
      CHECK(ExactResults(permuted, 2) == ExactResults(body, 2));
      CHECK(std::count(orders.begin(), orders.end(), orders[n]) == 1);
    }
  }
}

TEST_CASE("shadows of accumulations leave results alone and stay within their limit") {
  int changed = 0;
  for (int seed = 0; seed < 150; ++seed) {
    testing::Prng random(6000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    const int limit = kernel::MaxLive(body) + random.Range(-1, 3);
    const Body shadowed = passes::AddShadows(body, random.Range(1, 4), limit);
    INFO(seed << "\n" << kernel::Print(body) << "---\n" << kernel::Print(shadowed));
    REQUIRE(kernel::Verify(shadowed).empty());
    CHECK(ExactResults(shadowed, 3) == ExactResults(body, 3));
    CHECK(kernel::MaxLive(shadowed) <= std::max(limit, kernel::MaxLive(body)));
    changed += shadowed.instructions.size() > body.instructions.size() ? 1 : 0;
  }
  CHECK(changed > 30);
}

TEST_CASE("no reordering raises MAXLIVE, and all keep the results") {
  for (int seed = 0; seed < 100; ++seed) {
    testing::Prng random(7000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    for (const Reorder how : {Reorder::None, Reorder::Trees, Reorder::Lars, Reorder::Auto,
                              Reorder::Unrolled, Reorder::LarsRows, Reorder::LarsCoefficients}) {
      for (const auto& rules : {passes::kGpuRegisters, passes::kCpuRegisters}) {
        passes::ReorderOptions options;
        options.how = how;
        options.registers = rules;
        options.shadow_limit = random.Pick(std::vector<int>{0, 8, 1000});
        const Body reordered = passes::ReorderBody(body, options);
        INFO(seed << " " << static_cast<int>(how) << "\n" << kernel::Print(body));
        REQUIRE(kernel::Verify(reordered).empty());
        CHECK(ExactResults(reordered, 4) == ExactResults(body, 4));
        CHECK(kernel::MaxLive(reordered) <= kernel::MaxLive(body));
        if (!passes::Reorders(how)) CHECK(kernel::Print(reordered) == kernel::Print(body));
      }
    }
  }
}

/// Four points along the second iterator from the last, which is where the suite is unrolled.
std::vector<int> Unrolled(const graph::Operator& op) {
  std::vector<int> unroll(op.iterators.size(), 1);
  if (unroll.size() > 1) unroll[unroll.size() - 2] = 4;
  return unroll;
}

TEST_CASE("LARS: the bodies of suite B keep their results, in time") {
  int most_instructions = 0;
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.suite != 'B') continue;
    const graph::Graph graph = testing::GraphOfText(benchmark.text);
    for (const auto& run : testing::OperatorRuns(graph)) {
      if (run.front()->iterators.empty()) continue;
      for (const auto& unroll : {std::vector<int>{}, Unrolled(*run.front())}) {
        const Body body = testing::BodyOfRun(graph, run, unroll);
        INFO(benchmark.name << " with " << body.instructions.size() << " instructions");
        REQUIRE(kernel::Verify(body).empty());
        const auto begin = std::chrono::steady_clock::now();
        const Body reordered = passes::ReorderLars(body);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        REQUIRE(kernel::Verify(reordered).empty());
        const auto lines = Lines(reordered);
        CHECK((lines == Lines(body) || lines == Lines(passes::FlattenSums(body))));
        CHECK(ExactResults(reordered, 5) == ExactResults(body, 5));
        CHECK(kernel::MaxLive(reordered) <= kernel::MaxLive(body));
        CHECK(time.count() < 15);
        most_instructions = std::max(most_instructions, static_cast<int>(body.instructions.size()));
      }
    }
  }
  CHECK(most_instructions > 1500);
}

/// MAXLIVE of what LARS makes of each kernel of a program of the suite, one statement each.
std::vector<int> LiveByLars(const std::string& name) {
  passes::LarsOptions options;
  options.registers = passes::kCpuRegisters;
  std::vector<int> live;
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.name != name) continue;
    const graph::Graph graph = testing::GraphOfText(benchmark.text);
    for (const auto& run : testing::OperatorRuns(graph)) {
      for (const graph::Operator* op : run) {
        live.push_back(
            kernel::MaxLive(passes::ReorderLars(testing::BodyOfRun(graph, {op}, {}), options)));
      }
    }
  }
  return live;
}

TEST_CASE("LARS: sums of products of sums are evaluated tree by tree") {
  // As written 18 and 35.
  const std::vector<int> helmholtz = LiveByLars("helmholtz-v4");
  CHECK(helmholtz == std::vector<int>{11});
  const std::vector<int> center = LiveByLars("rhs4center");
  REQUIRE(center.size() == 3);
  for (const int live : center) CHECK(live <= 19);
}

TEST_CASE("LARS: its orders cost no more than those of the trees that it begins with") {
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.suite != 'B') continue;
    const graph::Graph graph = testing::GraphOfText(benchmark.text);
    for (const auto& run : testing::OperatorRuns(graph)) {
      const Body body = testing::BodyOfRun(graph, run, {});
      const auto cost = [&](passes::Reorder how) {
        passes::ReorderOptions options;
        options.how = how;
        // What LARS goes by where it is asked for by name.
        return passes::CostOf(passes::ReorderBody(body, options),
                              {options.registers.free_coefficients, false});
      };
      INFO(benchmark.name);
      CHECK_FALSE(cost(passes::Reorder::Trees) < cost(passes::Reorder::Lars));
    }
  }
}

}  // namespace
}  // namespace stencilgen
