#include <string>

#include "ast/print.h"
#include "support/bad_programs.h"
#include "support/catch.h"
#include "support/parse_text.h"

namespace stencilgen {
namespace {

using testing::Parsed;
using testing::ProgramWith;
using testing::Repeated;

std::string OnlyId(const Parsed& parsed) {
  return parsed.sink.diagnostics().size() == 1 ? parsed.sink.diagnostics()[0].id
                                               : parsed.Messages();
}

TEST_CASE("brackets nest as deeply as the limit and no deeper") {
  // One level is the stencil's brace.
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth - 1);
    return ProgramWith(Repeated("(", count) + "1" + Repeated(")", count));
  };
  CHECK(Parsed(nested(kMaxBracketDepth)).program);
  const Parsed deeper(nested(kMaxBracketDepth + 1));
  CHECK_FALSE(deeper.program);
  CHECK(OnlyId(deeper) == "nesting-too-deep");
}

TEST_CASE("conditionals in the middle of conditionals count as brackets") {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth - 1);
    return ProgramWith(Repeated("a ? ", count) + "1" + Repeated(" : 2", count));
  };
  CHECK(Parsed(nested(kMaxBracketDepth)).program);
  CHECK(OnlyId(Parsed(nested(kMaxBracketDepth + 1))) == "nesting-too-deep");
}

TEST_CASE("chains of operators are as long as the limit and no longer") {
  // A chain of n operators is n + 1 nodes deep.
  const auto count = static_cast<std::size_t>(kMaxExpressionDepth - 1);
  for (const std::string link : {"1+", "2^", "-", "i ? 1 : ", "!"}) {
    INFO(link);
    const Parsed longest(ProgramWith(Repeated(link, count) + "1"));
    INFO(longest.Messages());
    REQUIRE(longest.program);
    const std::string printed = ast::Print(*longest.program);
    const Parsed again(printed);
    REQUIRE(again.program);
    CHECK(ast::Print(*again.program) == printed);
    const Parsed longer(ProgramWith(Repeated(link, count + 1) + "1"));
    CHECK_FALSE(longer.program);
    CHECK(OnlyId(longer) == "expression-too-deep");
  }
}

TEST_CASE("a long chain is reported once") {
  CHECK(OnlyId(Parsed(ProgramWith(Repeated("1+", 100000) + "1"))) == "expression-too-deep");
  CHECK(OnlyId(Parsed(ProgramWith(Repeated("-", 100000) + "1"))) == "expression-too-deep");
}

TEST_CASE("ten thousand statements") {
  std::string text = "stencil s (A, B) {\n";
  for (int i = 0; i < 10000; ++i) text.append("  B[j][i] += 0.25*A[j-1][i];\n");
  const Parsed parsed(text.append("}\n"));
  REQUIRE(parsed.program);
  CHECK(parsed.program->stencils.at(0).items.size() == 10000);
}

}  // namespace
}  // namespace stencilgen
