#include <string>
#include <string_view>
#include <vector>

#include "ast/print.h"
#include "support/catch.h"
#include "support/idsl_files.h"
#include "support/parse_text.h"
#include "support/prng.h"

namespace stencilgen {
namespace {

using testing::Parsed;
using testing::Prng;

/// Pieces that make trouble more often than random bytes do.
const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> kPieces = {
      "(",        ")",        "[",       "]",          "{",
      "}",        ";",        ",",       ":",          "..",
      "0..",      "=",        "==",      "**",         "^",
      "?",        "/*",       "*/",      "//",         "\r",
      "\n",       "\"",       "'",       "#",          "\xFF",
      "\xC3\xA9", "1e999",    "1.",      ".5f",        "99999999999999999999",
      "double",   "stencil",  "iterate", "swap ",      "copyin",
      "no-shmem", "boundary", "inout:",  "parameter ", std::string(1, '\0'),
      "-",        "!"};
  return kPieces;
}

std::string Mutate(std::string text, const std::string& other, Prng& prng) {
  const int count = prng.Range(1, 6);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(prng.Below(static_cast<int>(text.size()) + 1));
    const auto length = static_cast<std::size_t>(prng.Range(1, 12));
    switch (prng.Below(7)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, prng.Pick(Pieces()));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(prng.Below(256)));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(prng.Below(256));
        break;
      case 4:
        text.insert(at, text.substr(at / 2, length * 4));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        text.insert(at, other.substr(at < other.size() ? at : 0, length * 8));
        break;
    }
  }
  return text;
}

TEST_CASE("a mutated program parses or is refused with a place") {
  const std::vector<testing::IdslText> corpus = testing::GoodPrograms();
  constexpr std::uint64_t kSeeds = 6000;
  int parsed_count = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Prng prng(seed);
    const std::string& start = prng.Pick(corpus).text;
    const std::string text = Mutate(start, prng.Pick(corpus).text, prng);
    INFO("seed " << seed);
    const Parsed parsed(text);
    REQUIRE(parsed.program.has_value() != parsed.sink.HasErrors());
    if (parsed.program) {
      ++parsed_count;
      const std::string printed = ast::Print(*parsed.program);
      const Parsed again(printed);
      REQUIRE(again.program);
      REQUIRE(ast::Print(*again.program) == printed);
      continue;
    }
    for (const Diagnostic& d : parsed.sink.diagnostics()) {
      REQUIRE(d.span.begin <= d.span.end);
      REQUIRE(d.span.end <= text.size());
    }
    REQUIRE_FALSE(parsed.Messages().empty());
    REQUIRE_FALSE(RenderJson(parsed.source, parsed.sink.diagnostics()).empty());
  }
  // Both ways have been taken.
  CHECK(parsed_count > 100);
  CHECK(parsed_count < static_cast<int>(kSeeds) - 100);
}

}  // namespace
}  // namespace stencilgen
