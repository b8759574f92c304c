#include "kernel/body.h"
#include "kernel/liveness.h"
#include "kernel/print.h"
#include "kernel/uses.h"
#include "kernel/verify.h"
#include "support/catch.h"
#include "support/evaluate_body.h"
#include "support/parse_body.h"

namespace stencilgen {
namespace {

using kernel::Body;
using kernel::MaxLive;

TEST_CASE("a body prints as it is read") {
  const std::string text =
      "a = b / c\n"
      "a += d * c\n"
      "a -= 0.5 * e\n"
      "q = sqrt(a)\n"
      "store q\n";
  const Body body = ParseBody(text);
  CHECK(kernel::Verify(body).empty());
  CHECK(kernel::Print(body) == text);
}

TEST_CASE("the first contribution of an order sets the sum, whichever it is") {
  const Body body = kernel::InOrder(ParseBody("a = b; a -= c * d; a += e"), {1, 2, 0});
  CHECK(kernel::Verify(body).empty());
  CHECK(kernel::Print(body) == "a = -(c * d)\na += e\na += b\nstore a\n");
}

TEST_CASE("MAXLIVE counts elements from their load and sums from their first contribution") {
  CHECK(MaxLive(ParseBody("t = a + b")) == 2);             // t takes the register of one that dies
  CHECK(MaxLive(ParseBody("t = a + b; u = a * b")) == 3);  // a and b live on
  CHECK(MaxLive(ParseBody("t = a; t += b; t += c; t += d")) == 2);
  CHECK(MaxLive(ParseBody("t = 2 * a; t += 3 * b; u = 2 * b; u += 3 * c")) == 2);
  CHECK(MaxLive(ParseBody("t = a; u = b; t += c; u += c")) == 3);
  CHECK(MaxLive(ParseBody("t = a; u = b; v = t * u; w = t + u; x = v * w")) == 3);
  CHECK(MaxLive(ParseBody("t = 1 + 2; u = t * t")) == 1);
  CHECK(MaxLive(ParseBody("")) == 0);
}

TEST_CASE("a result leaves its register when it is complete, unless something uses it") {
  CHECK(MaxLive(ParseBody("r = a; s = b; store r; store s")) == 1);
  CHECK(MaxLive(ParseBody("r = a; s = b; t = r + s; store r; store s; store t")) == 2);
}

TEST_CASE("predecessors are the contributions to operands, without their order") {
  const Body body = ParseBody("a = b / c; a += d * c; q = a * e; a2 = f; a2 += q");
  const auto before = kernel::Predecessors(body, kernel::FindUses(body));
  using List = std::vector<std::size_t>;
  CHECK(before == std::vector<List>{{}, {}, {0, 1}, {}, {2}});
}

TEST_CASE("Verify names what is broken") {
  const auto first = [](const Body& body) {
    const auto problems = kernel::Verify(body);
    return problems.empty() ? std::string() : problems.front();
  };
  CHECK(first(kernel::InOrder(ParseBody("a = b; a += c; d = a * a"), {0, 2, 1})) ==
        "d = a * a: a is not complete");
  Body twice = ParseBody("a = b; a = c");
  CHECK(first(twice) == "a is set twice");
  Body dropped = ParseBody("a = b; c = a * a");
  dropped.instructions.erase(dropped.instructions.begin());
  CHECK(first(dropped) == "a is used, but not defined");
  Body mixed = ParseBody("a = b; a += c; a += d");
  mixed.instructions[1].combine = kernel::Combine::Product;
  CHECK(first(mixed) == "a: two kinds of sums");
  Body unnamed = ParseBody("a = b");
  unnamed.instructions[0].statement = 3;
  CHECK(first(unnamed) == "there is no statement 3");
}

TEST_CASE("a body evaluates to the same whatever the order of contributions") {
  const Body body = ParseBody("a = b * c; a -= d; a += 3; r = a * a; r *= b");
  const auto run = [](const Body& each) {
    return EvaluateBody<long>(
        each,
        [&](kernel::ValueId id) {
          const auto* literal = std::get_if<graph::Literal>(&each.values[id].what);
          return literal != nullptr ? static_cast<long>(literal->value)
                                    : static_cast<long>(each.values[id].name[0] - 'a' + 4);
        },
        [](const kernel::Operation&, const std::vector<long>&, ScalarType) { return 0L; });
  };
  const std::vector<long> expected = run(body);
  CHECK(expected[0] == 5 * 6 - 7 + 3);
  CHECK(run(kernel::InOrder(body, {2, 1, 0, 4, 3})) == expected);
}

}  // namespace
}  // namespace stencilgen
