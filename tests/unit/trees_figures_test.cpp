// The examples of [S] chapter 4, Figures 4.2 to 4.5, and what it states about them. The trees of
// Figures 4.3 and 4.4 are not given in its text: there, trees of the same kind stand for them.
#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/uses.h"
#include "kernel/verify.h"
#include "passes/reorder_trees.h"
#include "passes/trees/clusters.h"
#include "passes/trees/forest.h"
#include "passes/trees/schedule_tree.h"
#include "passes/trees/slice_and_interleave.h"
#include "passes/trees/slice_expressions.h"
#include "support/catch.h"
#include "support/parse_body.h"
#include "support/prng.h"

namespace stencilgen {
namespace {

using kernel::Body;
using passes::BuildForest;
using passes::Forest;
using passes::LabelSet;

/// The place of the temporary of that name among the body's values.
int ValueOf(const Body& body, const std::string& name) {
  for (kernel::ValueId id : body.values.Ids()) {
    if (body.values[id].name == name) return static_cast<int>(id.index);
  }
  FAIL("no value " << name);
  return -1;
}

std::string Reordered(const Body& body, const std::vector<int>& order) {
  return kernel::Print(kernel::InOrder(body, {order.begin(), order.end()}));
}

/// The schedule of a forest of one tree.
passes::TreeSchedule OfOneTree(const Forest& forest) {
  REQUIRE(forest.roots.size() == 1);
  const LabelSet none(forest.label_count());
  return passes::TreeScheduler(forest, {}).Schedule(forest.roots[0], none, none);
}

TEST_CASE("Figure 4.2: Sethi-Ullman numbers with an accumulation node") {
  const Body body = ParseBody(
      "q = e * f\n"
      "s = q / 2.3\n"
      "out = a; out += b * c; out += d; out += s");
  const Forest forest = BuildForest(body);
  CHECK(passes::SethiUllman(forest, ValueOf(body, "q")) == 2);
  CHECK(passes::SethiUllman(forest, ValueOf(body, "s")) == 2);
  // Two children need two registers, so the sum needs three.
  CHECK(passes::SethiUllman(forest, ValueOf(body, "out")) == 3);
  const passes::TreeSchedule schedule = OfOneTree(forest);
  CHECK(schedule.peak == 3);
}

TEST_CASE("without sharing, su' is the Sethi-Ullman number") {
  // A complete binary tree of 8 leaves; a chain; sums of sums.
  const std::string quotients =
      "p = a / b; q = c / d; r = e / f; s = g / h; u = p / q; v = r / s; w = u / v";
  for (const auto& [text, registers] : std::vector<std::pair<std::string, int>>{
           {quotients, 4},
           {"p = a / b; q = p / c; r = q / d; s = r / e", 2},
           {"p = a; p += b; p += c; q = d; q += e; q += f; r = p * q; s = g / h; t = r; t += s",
            3}}) {
    const Body body = ParseBody(text);
    const Forest forest = BuildForest(body);
    CHECK(passes::SethiUllman(forest, forest.roots[0]) == registers);
    CHECK(OfOneTree(forest).peak == registers);
  }
}

TEST_CASE("Figure 4.3: labels shared within a tree stay live between their uses") {
  const Body body = ParseBody(
      "p = a / b; q = c / d\n"
      "r = p * a; r += q * c; r += p2; r += b * d");
  const Forest forest = BuildForest(body);
  // a, b, c and d have two uses each; p2 has one and is no label.
  CHECK(forest.label_count() == 4);
  const LabelSet& uses = forest.uses[static_cast<std::size_t>(ValueOf(body, "p"))];
  CHECK(uses.Count() == 2);
  CHECK(uses.Contains(forest.label_of[static_cast<std::size_t>(ValueOf(body, "a"))]));
  CHECK(uses.Contains(forest.label_of[static_cast<std::size_t>(ValueOf(body, "b"))]));
  // a, b and p; the sum, b and d; the sum, c and q in the stead of d. In the order of the text, the
  // sum, c and q wait for b * d as well.
  CHECK(kernel::MaxLive(body) == 6);
  CHECK(OfOneTree(forest).peak == 3);
}

TEST_CASE("Figure 4.4: su' of one tree depends on what is live before and after it") {
  const Body body = ParseBody("p = a / b; q = c / b; r = p * a; r += q * c; x = a; y = c");
  const Forest forest = BuildForest(body);
  const int root = ValueOf(body, "r");
  const auto set = [&](const std::string& names) {
    LabelSet labels(forest.label_count());
    for (char name : names) {
      const int value = ValueOf(body, std::string(1, name));
      labels.Insert(forest.label_of[static_cast<std::size_t>(value)]);
    }
    return labels;
  };
  passes::TreesOptions options;
  options.slack = 0;
  passes::TreeScheduler scheduler(forest, options);
  // a, b, p; then the sum, c, q.
  CHECK(scheduler.Schedule(root, set(""), set("")).peak == 3);
  CHECK(scheduler.Schedule(root, set("abc"), set("")).peak == 4);
  // Everything is live throughout: a register for p or q and one for the sum more.
  CHECK(scheduler.Schedule(root, set("abc"), set("abc")).peak == 5);
  // One of a and c dies in the tree: its child goes first.
  const auto first = [&](const std::string& in, const std::string& out) {
    const passes::TreeSchedule schedule = scheduler.Schedule(root, set(in), set(out));
    CHECK(schedule.peak == 4);
    return body.values[body.instructions[static_cast<std::size_t>(schedule.order[0])].dest].name;
  };
  CHECK(first("ac", "c") == "p");
  CHECK(first("ac", "a") == "q");
}

TEST_CASE("maximal clusters join children that share labels which do not pass through") {
  const auto set = [](std::vector<int> labels) {
    LabelSet result(8);
    for (int label : labels) result.Insert(label);
    return result;
  };
  const std::vector<LabelSet> uses = {set({1}), set({1, 2}), set({5}), set({2, 3}), set({3, 5})};
  using Clusters = std::vector<std::vector<int>>;
  CHECK(passes::MaximalClusters(uses, set({})) == Clusters{{0, 1, 2, 3, 4}});
  CHECK(passes::MaximalClusters(uses, set({5})) == Clusters{{0, 1, 3, 4}, {2}});
  CHECK(passes::MaximalClusters(uses, set({2, 5})) == Clusters{{0, 1}, {2}, {3, 4}});
  CHECK(passes::MaximalClusters({}, set({})).empty());
}

TEST_CASE("theorems 1 to 3 give the best order of clusters") {
  testing::Prng random(7);
  for (int round = 0; round < 2000; ++round) {
    const int count = random.Range(1, 6), in = random.Range(3, 8);
    std::vector<passes::ClusterCost> costs;
    for (int k = 0; k < count; ++k) {
      const int out = std::max(0, in + random.Range(-2, 3));
      costs.push_back({in, out, std::max(in, out) + random.Range(0, 4)});
    }
    const auto peak = [&](const std::vector<int>& order) {
      int most = 0, live = in;
      for (int k : order) {
        const passes::ClusterCost& cost = costs[static_cast<std::size_t>(k)];
        most = std::max(most, live + cost.peak - cost.in);
        live += cost.out - cost.in;
      }
      return most;
    };
    std::vector<int> order(costs.size());
    std::iota(order.begin(), order.end(), 0);
    int best = peak(order);
    do {
      best = std::min(best, peak(order));
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(peak(passes::OrderClusters(costs)) == best);
  }
}

TEST_CASE("Figure 4.5: an expression is sliced to where its labels die") {
  // S needs most registers and reads neither b nor c; f is read by S and by the last child.
  const Body body = ParseBody(
      "r = b * c\n"
      "g1 = g - f; g2 = h - k; g3 = g1 * g2\n"
      "h1 = l - f; h2 = m - n; h3 = h1 * h2\n"
      "r += g3 / h3\n"
      "x = e * b; y = x / c\n"
      "r += y * f");
  const Forest forest = BuildForest(body);
  LabelSet seen(forest.label_count());
  seen |= forest.steps[0].labels;
  const std::vector<bool> done(body.instructions.size(), false);
  // Grown from e * b: (e * b) / c reads b, c and e, which nothing else reads; f stops it.
  CHECK(passes::MaximalExpression(forest, 8, seen, done) == std::vector<int>{8, 9});
  CHECK(passes::MaximalExpression(forest, 10, seen, done).empty());

  std::vector<int> order(body.instructions.size());
  std::iota(order.begin(), order.end(), 0);
  passes::OrderPricer pricer(body, 0);
  const passes::OrderCost before = pricer.Price(order);
  // The figure's step alone: c and b no longer wait for S, but the quotient does.
  CHECK(pricer.Price({0, 8, 9, 1, 2, 3, 4, 5, 6, 7, 10}).peak == before.peak - 1);
  order = passes::SliceAndInterleave(forest, order, pricer, 1'000'000);
  CHECK(pricer.Price(order).peak < before.peak);
  CHECK(Reordered(body, order).substr(0, 33) == "r = b * c\nx = e * b\ny = x / c\ng1 ");
}

/// Box of (2 reach + 1)^2 points, `rows` neighbouring outputs, weights as literals: [S]
/// Listing 5.1.
Body Box(int reach, int rows) {
  std::string text;
  for (int row = 0; row < rows; ++row) {
    text += "statement\n";
    for (int j = -reach; j <= reach; ++j) {
      for (int i = -reach; i <= reach; ++i) {
        text += fmt::format("o{} {} 0.5 * in[{}][{}]\n", row,
                            j == -reach && i == -reach ? "=" : "+=", row + j, i);
      }
    }
  }
  return ParseBody(text);
}

TEST_CASE("unrolled boxes take a register an accumulation and one for what arrives") {
  for (const auto& [reach, rows] :
       std::vector<std::pair<int, int>>{{1, 2}, {1, 4}, {2, 4}, {4, 4}}) {
    const Body body = Box(reach, rows);
    const Body reordered = passes::ReorderTrees(body, {});
    INFO(reach << " " << rows << "\n" << kernel::Print(reordered));
    CHECK(kernel::Verify(reordered).empty());
    CHECK(kernel::MaxLive(body) > rows + 1 + reach);
    CHECK(kernel::MaxLive(reordered) <= std::min(rows, 2 * reach + 1) + 1);
  }
}

}  // namespace
}  // namespace stencilgen
