// Reordering of random bodies as trees: same instructions, same values, no more registers.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/uses.h"
#include "kernel/verify.h"
#include "passes/reorder_trees.h"
#include "passes/trees/flatten_sums.h"
#include "passes/trees/forest.h"
#include "passes/trees/order_pressure.h"
#include "passes/trees/order_units.h"
#include "passes/trees/schedule_units.h"
#include "support/catch.h"
#include "support/parse_body.h"
#include "support/random_body.h"

namespace stencilgen {
namespace {

using kernel::Body;
using passes::BuildForest;
using passes::Forest;

Body InOrder(const Body& body, const std::vector<int>& order) {
  return kernel::InOrder(body, {order.begin(), order.end()});
}

/// The instructions as lines, sorted; contributions without regard to which is first.
std::vector<std::string> Lines(const Body& body) {
  std::vector<std::string> lines;
  for (const kernel::Instruction& each : body.instructions) {
    lines.push_back(kernel::Print(body, each, false));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("a reordered body has the same instructions, values, and no more live values") {
  for (int seed = 0; seed < 150; ++seed) {
    testing::Prng random(static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 40));
    INFO(seed << "\n" << kernel::Print(body));
    REQUIRE(kernel::Verify(body).empty());
    const Body reordered = passes::ReorderTrees(body, {});
    INFO(kernel::Print(reordered));
    REQUIRE(kernel::Verify(reordered).empty());
    const auto lines = Lines(reordered);
    CHECK((lines == Lines(body) || lines == Lines(passes::FlattenSums(body))));
    CHECK(ExactResults(reordered, 1) == ExactResults(body, 1));
    CHECK(kernel::MaxLive(reordered) <= kernel::MaxLive(body));
  }
}

TEST_CASE("su' of all units is MAXLIVE of their schedule, however small they are") {
  for (int seed = 0; seed < 200; ++seed) {
    testing::Prng random(1000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    const int most_steps = random.Pick(std::vector<int>{1000, 10, 3, 1});
    const Forest forest =
        BuildForest(body, passes::LargeAccumulations(BuildForest(body), most_steps));
    const auto units = passes::MakeUnits(body, forest, most_steps);
    for (const auto& order : {passes::OrderByAffinity(body, forest, units),
                              passes::OrderByNeed(units), passes::OrderByRelease(forest, units, {}),
                              passes::OrderByRelease(forest, units, {true, true})}) {
      const passes::TreeSchedule schedule = passes::ScheduleUnits(forest, units, order, {});
      const Body scheduled = InOrder(body, schedule.order);
      INFO(seed << "\n" << kernel::Print(body) << "---\n" << kernel::Print(scheduled));
      REQUIRE(kernel::Verify(scheduled).empty());
      CHECK(schedule.peak == kernel::MaxLive(scheduled));
      CHECK(ExactResults(scheduled, 2) == ExactResults(body, 2));
    }
  }
}

TEST_CASE("flattened sums have the same results, and no nested accumulation") {
  for (int seed = 0; seed < 300; ++seed) {
    testing::Prng random(4000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    const Body flat = passes::FlattenSums(body);
    INFO(seed << "\n" << kernel::Print(body) << "---\n" << kernel::Print(flat));
    REQUIRE(kernel::Verify(flat).empty());
    CHECK(ExactResults(flat, 3) == ExactResults(body, 3));
    CHECK(Lines(passes::FlattenSums(flat)) == Lines(flat));
  }
  CHECK(kernel::Print(passes::FlattenSums(ParseBody("t = a; t -= b * c; r = d; r -= t"))) ==
        "r = -a\nr += b * c\nr += d\nstore r\n");
  CHECK(kernel::Print(passes::FlattenSums(ParseBody("t = a; t += b; r = c - t"))) ==
        "r = -a\nr -= b\nr += c\nstore r\n");
  // Read twice, or a result: it stays.
  CHECK(passes::FlattenSums(ParseBody("t = a; t += b; r = c; r += t; s = t")).instructions.size() ==
        5);
  CHECK(passes::FlattenSums(ParseBody("t = a; t += b; r = c; r += t; store t; store r"))
            .instructions.size() == 4);
}

TEST_CASE("an order's price is its MAXLIVE") {
  for (int seed = 0; seed < 200; ++seed) {
    testing::Prng random(2000 + static_cast<std::uint64_t>(seed));
    const Body body = RandomBody(random, random.Range(1, 60));
    std::vector<int> order(body.instructions.size());
    std::iota(order.begin(), order.end(), 0);
    passes::OrderPricer pricer(body, 0);
    CHECK(pricer.Price(order).peak == kernel::MaxLive(body));
  }
}

/// The least MAXLIVE of all atomic orders: permutations of contributions and operands, recursively.
class AtomicOrders {
 public:
  AtomicOrders(const Body& body, const Forest& forest) : body_(body), forest_(forest) {}

  int Best(int root) {
    best_ = 1 << 20;
    for (const auto& order : OfValue(root)) {
      best_ = std::min(best_, kernel::MaxLive(InOrder(body_, order)));
    }
    return best_;
  }

 private:
  using Orders = std::vector<std::vector<int>>;

  /// All orders of blocks, each block in all its orders.
  static Orders Product(std::vector<Orders> blocks) {
    Orders result;
    std::vector<std::size_t> places(blocks.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    do {
      Orders partial{{}};
      for (std::size_t place : places) {
        Orders next;
        for (const auto& before : partial) {
          for (const auto& block : blocks[place]) {
            next.push_back(before);
            next.back().insert(next.back().end(), block.begin(), block.end());
          }
        }
        partial = std::move(next);
      }
      result.insert(result.end(), partial.begin(), partial.end());
    } while (std::next_permutation(places.begin(), places.end()));
    return result;
  }

  Orders OfValue(int value) {
    std::vector<Orders> blocks;
    for (int step : forest_.steps_of[static_cast<std::size_t>(value)]) {
      std::vector<Orders> operands;
      for (int child : forest_.steps[static_cast<std::size_t>(step)].subtrees) {
        operands.push_back(OfValue(child));
      }
      Orders orders = Product(operands);
      for (auto& order : orders) order.push_back(step);
      blocks.push_back(std::move(orders));
    }
    return Product(blocks);
  }

  const Body& body_;
  const Forest& forest_;
  int best_ = 0;
};

/// One statement, with a sum of few contributions at the root.
Body SmallTree(testing::Prng& random) {
  const auto leaf = [&] { return static_cast<char>('a' + random.Below(5)); };
  std::string text, sum;
  const int contributions = random.Range(2, 5);
  for (int k = 0; k < contributions; ++k) {
    sum += k == 0 ? "r = " : "r += ";
    if (random.Percent(50)) {
      text += fmt::format("p{} = {} - {}\n", k, leaf(), leaf());
      sum += fmt::format("p{} * ", k);
      if (random.Percent(30)) {
        text += fmt::format("q{} = {} / {}\n", k, leaf(), leaf());
        sum += fmt::format("q{}\n", k);
      } else {
        sum += fmt::format("{}\n", leaf());
      }
    } else {
      sum += fmt::format("{} * {}\n", leaf(), leaf());
    }
  }
  return ParseBody(text + sum);
}

TEST_CASE("the schedule of a tree is the best of all atomic orders") {
  for (int seed = 0; seed < 150; ++seed) {
    testing::Prng random(3000 + static_cast<std::uint64_t>(seed));
    const Body body = SmallTree(random);
    const Forest forest = BuildForest(body);
    REQUIRE(forest.roots.size() == 1);
    passes::TreesOptions options;
    options.slack = 0;
    const auto units = passes::MakeUnits(body, forest, 1000);
    const int found = passes::ScheduleUnits(forest, units, {0}, options).peak;
    INFO(seed << "\n" << kernel::Print(body));
    CHECK(found == AtomicOrders(body, forest).Best(forest.roots[0]));
    options.slack = 1;
    CHECK(passes::ScheduleUnits(forest, units, {0}, options).peak <= found + 1);
  }
}

}  // namespace
}  // namespace stencilgen
