#include "passes/reorder_lars.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/uses.h"
#include "kernel/verify.h"
#include "passes/lars_state.h"
#include "passes/shadow_accumulators.h"
#include "support/catch.h"
#include "support/parse_body.h"

namespace stencilgen {
namespace {

using kernel::Body;
using kernel::MaxLive;
using kernel::ValueId;
using passes::LarsCost;
using passes::LarsObjective;
using passes::LarsState;

ValueId Named(const Body& body, const std::string& name) {
  for (ValueId id : body.values.Ids()) {
    if (body.values[id].name == name) return id;
  }
  FAIL("no value " << name);
  return {};
}

/// The statements of [S] Figure 5.2, lowered: instructions 5, 9 and 10 wait for others.
const char* const kFigure52 =
    "statement; a = b / c; a += d * c; a += b * e; a += d / f\n"
    "statement; t1 = a * g; t1 += k * g\n"
    "statement; m = n * p\n"
    "statement; q = f + e\n"
    "statement; r = q * p\n"
    "statement; t2 = m * r\n";

/// A box stencil of radius `radius`, `count` neighbouring points of it: o1 ... read i1 ...,
/// numbered from left to right and top to bottom as in [S] Figure 5.5; weights are literals.
Body Box(int radius, int count) {
  const int side = 2 * radius + 1;
  const int columns = count + 2 * radius;
  std::string text;
  for (int o = 0; o < count; ++o) {
    text += "statement\n";
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        text += fmt::format("o{} {} {} * i{}\n", o + 1,
                            row + column == 0 ? "=" : "+=", 0.5 + row * side + column,
                            row * columns + o + column + 1);
      }
    }
  }
  return ParseBody(text);
}

/// As on a CPU, where they are operands in memory.
const passes::LarsOptions kAnyCoefficients = {passes::kCpuLatencies, 2, 4, passes::kCpuRegisters};

TEST_CASE("LARS: what waits for nothing is unblocked at first, and nothing is live") {
  const Body body = ParseBody(kFigure52);
  const LarsState state(body, LarsObjective::Plain, passes::kGpuLatencies, 2);
  std::vector<int> unblocked;
  for (std::size_t k = 0; k < body.instructions.size(); ++k) {
    if (state.IsUnblocked(k)) unblocked.push_back(static_cast<int>(k) + 1);
  }
  CHECK(unblocked == std::vector<int>{1, 2, 3, 4, 6, 7, 8});
  for (ValueId id : body.values.Ids()) CHECK_FALSE(state.IsLive(id));
}

TEST_CASE("LARS: values of the critical path have the highest priority at first") {
  // [S] 5.3.3: a, b, c, d and f, for the divisions that begin the longest path.
  const Body body = ParseBody(kFigure52);
  const LarsState state(body, LarsObjective::Plain, passes::kGpuLatencies, 2);
  int highest = 0;
  for (ValueId id : body.values.Ids()) highest = std::max(highest, state.Priority(id));
  CHECK(highest == passes::kGpuLatencies.division);
  std::set<std::string> first;
  for (ValueId id : body.values.Ids()) {
    if (state.Priority(id) == highest) first.insert(body.values[id].name);
  }
  CHECK(first == std::set<std::string>{"a", "b", "c", "d", "f"});
}

TEST_CASE("LARS: costs while the first label and then others are live") {
  // [S] Figure 5.3b to 5.3e.
  const Body body = ParseBody(kFigure52);
  LarsState state(body, LarsObjective::Plain, passes::kGpuLatencies, 2);
  const auto cost = [&](const char* name) { return state.CostOf(Named(body, name)); };
  CHECK(cost("b").fire == 0);
  CHECK(cost("b").waiting == 3);  // a, c, e
  state.MakeLive(Named(body, "b"));
  CHECK(state.fired().empty());
  CHECK(cost("c").primary == 1);
  CHECK(cost("e").primary == 1);
  CHECK(cost("a").primary == 2);
  CHECK(cost("g").primary == 0);
  CHECK(cost("d").secondary == 2);  // with b through a and through c
  CHECK(cost("a").fire == 0);
  state.MakeLive(Named(body, "c"));
  CHECK(cost("a").fire == 1);
  CHECK(cost("a").release == 0);
  state.MakeLive(Named(body, "a"));
  CHECK(state.fired() == std::vector<std::size_t>{0});
  CHECK(cost("d").fire == 1);
  CHECK(cost("d").release == 1);  // c
  CHECK(cost("e").release == 1);  // b
  for (const char* name : {"d", "e", "f"}) state.MakeLive(Named(body, name));
  CHECK(state.fired() == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK_FALSE(state.IsLive(Named(body, "b")));
  CHECK_FALSE(state.IsLive(Named(body, "d")));
  CHECK(cost("q").fire == 1);
  CHECK(cost("q").release == 2);  // f and e
  CHECK(cost("g").fire == 0);
}

TEST_CASE("LARS: the schedule of the example takes no more registers than the published one") {
  const Body body = ParseBody(kFigure52);
  const Body reordered = kernel::InOrder(
      body, passes::LarsOrder(body, LarsObjective::Plain, passes::kGpuLatencies, 2));
  // The order of [S] Figure 5.4a, but for the last two contributions to a.
  CHECK(kernel::Print(reordered) ==
        "a = b / c\n"
        "a += d * c\n"
        "a += d / f\n"
        "a += b * e\n"
        "q = f + e\n"
        "t1 = a * g\n"
        "t1 += k * g\n"
        "store t1\n"
        "r = q * p\n"
        "m = n * p\n"
        "t2 = m * r\n"
        "store t2\n");
  const Body published = kernel::InOrder(body, {0, 1, 2, 3, 7, 4, 5, 8, 6, 9});
  CHECK(MaxLive(published) == 4);
  CHECK(MaxLive(reordered) == 4);
  CHECK(MaxLive(body) == 5);
}

TEST_CASE("LARS: contributions in a row go to shadows of their sum") {
  // [S] Figure 5.4b: two partial sums in turn, added up before the sum is used.
  const Body body = kernel::InOrder(ParseBody(kFigure52), {0, 1, 2, 3, 7, 4, 5, 8, 6, 9});
  const Body shadowed = passes::AddShadows(body, 1, 100);
  CHECK(kernel::Verify(shadowed).empty());
  CHECK(kernel::Print(shadowed) ==
        "a = b / c\n"
        "a.1 = d * c\n"
        "a += b * e\n"
        "a.1 += d / f\n"
        "a += a.1\n"
        "q = f + e\n"
        "t1 = a * g\n"
        "t1.1 = k * g\n"
        "t1 += t1.1\n"
        "store t1\n"
        "r = q * p\n"
        "m = n * p\n"
        "t2 = m * r\n"
        "store t2\n");
  CHECK(kernel::Print(passes::AddShadows(body, 0, 100)) == kernel::Print(body));
}

TEST_CASE("LARS: there are as many shadows as the window is wide, and only where registers last") {
  const Body body = ParseBody("r = a; r -= b; r += c; r += d; r += e");
  CHECK(kernel::Print(passes::AddShadows(body, 2, 100)) ==
        "r = a\n"
        "r.1 = -b\n"
        "r.2 = c\n"
        "r += d\n"
        "r.1 += e\n"
        "r += r.1\n"
        "r += r.2\n"
        "store r\n");
  CHECK(MaxLive(body) == 2);
  CHECK(kernel::Print(passes::AddShadows(body, 2, 3)) ==
        kernel::Print(passes::AddShadows(body, 1, 3)));
  CHECK(MaxLive(passes::AddShadows(body, 2, 3)) == 3);
  CHECK(kernel::Print(passes::AddShadows(body, 2, 2)) == kernel::Print(body));
}

TEST_CASE("LARS: values are reused between the statements of an unrolled stencil") {
  CHECK(passes::ChooseObjective(Box(1, 4)) == LarsObjective::Interleave);
  CHECK(passes::ChooseObjective(ParseBody("statement; a = b * c; a += b * d; a += b * c\n"
                                          "statement; e = f * g; e += f * h")) ==
        LarsObjective::DepthFirst);
  CHECK(passes::ChooseObjective(ParseBody("statement; a = b * c; a += b * d\n"
                                          "statement; e = f * b; e += f * h")) ==
        LarsObjective::Plain);
}

TEST_CASE("LARS: an unrolled 9-point Jacobi needs 4 registers, however often it is unrolled") {
  // [S] Figure 5.5.
  for (int count : {3, 4, 5, 8, 16, 32}) {
    INFO(count);
    const Body body = Box(1, count);
    const Body reordered = kernel::InOrder(
        body, passes::LarsOrder(body, LarsObjective::Interleave, passes::kGpuLatencies, 1));
    CHECK(kernel::Verify(reordered).empty());
    CHECK(MaxLive(reordered) == 4);
    CHECK(MaxLive(passes::ReorderLars(body, kAnyCoefficients)) == 4);
  }
}

TEST_CASE("LARS: wider boxes need as many sums as an input has, and one input") {
  for (int radius : {2, 3, 4, 5}) {
    for (int count : {4, 8, 16}) {
      INFO(radius << " " << count);
      CHECK(MaxLive(passes::ReorderLars(Box(radius, count), kAnyCoefficients)) ==
            std::min(2 * radius + 1, count) + 1);
    }
  }
}

TEST_CASE("LARS: coefficients beyond those that are free count as live values") {
  const Body body = Box(4, 4);
  const Body by_rows = passes::ReorderLars(body, kAnyCoefficients);
  const Body by_columns = passes::ReorderLars(body);
  CHECK(MaxLive(by_rows) == 5);
  CHECK(kernel::MaxLiveCoefficients(by_rows) > passes::kGpuRegisters.free_coefficients);
  CHECK(kernel::MaxLiveCoefficients(by_columns) <= passes::kGpuRegisters.free_coefficients);
  CHECK(MaxLive(by_columns) <= 9);
}

TEST_CASE("LARS: what is nearly complete leads, down to single sums") {
  // Each product has a sum of its own; begun together they would all be live at once.
  std::string text = "statement\n";
  for (int n = 1; n <= 6; ++n) {
    text += fmt::format("s{0} = x{0} + y{0}; s{0} += x{1} * z{0}; r {2} w{0} * s{0}\n", n,
                        n % 6 + 1, n == 1 ? "=" : "+=");
  }
  const Body body = ParseBody(text);
  LarsState state(body, LarsObjective::Growth, passes::kGpuLatencies, 2);
  state.MakeLive(Named(body, "x3"));
  // Its own sum is begun, and so near its end that it leads before all others.
  for (const char* name : {"s3", "y3"}) state.MakeLive(Named(body, name));
  CHECK(state.CostOf(Named(body, "z3")).leading > state.CostOf(Named(body, "z5")).leading);
  CHECK(state.CostOf(Named(body, "z3")).leading > state.CostOf(Named(body, "y1")).leading);
  for (const LarsObjective objective :
       {LarsObjective::Gain, LarsObjective::InOrder, LarsObjective::Growth}) {
    const Body reordered =
        kernel::InOrder(body, passes::LarsOrder(body, objective, passes::kGpuLatencies, 2));
    CHECK(kernel::Verify(reordered).empty());
    CHECK(MaxLive(reordered) <= 5);
  }
}

}  // namespace
}  // namespace stencilgen
