// Broken C and C++ files with regions: they are refused with located errors, or become programs.
// STENCILGEN_MUTATED_REGIONS=2000 takes more of them than usual, STENCILGEN_RANDOM_SEED=7 others.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "driver/embed.h"
#include "support/catch.h"
#include "support/prng.h"

/// libclang loses the text of a file whose options it refuses.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:getNewUninitMemBuffer\n";
}

namespace stencilgen::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBegin = "#pragma scop";
constexpr const char* kEnd = "#pragma endscop";

struct Seed {
  std::string path;  ///< beside the headers that it includes
  std::string text;
};

/// The files of the tests, without what golden files expect.
std::vector<Seed> Seeds() {
  std::vector<Seed> seeds;
  for (const char* folder : {"tests/golden/scop", "tests/exec/scop"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(STENCILGEN_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".c" && extension != ".cpp") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      const std::string code = text.substr(0, text.find("// ----\n"));
      const std::size_t begin = code.find(kBegin), end = code.rfind(kEnd);
      if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
      if (code.size() > 4000) continue;  // long regions take most of the time
      seeds.push_back({entry.path().string(), code});
    }
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.path < b.path; });
  return seeds;
}

int FromEnvironment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

enum class Kind { Sign, Number, Name, Space };

Kind KindOf(char c) {
  const auto u = static_cast<unsigned char>(c);
  if (std::isdigit(u) != 0) return Kind::Number;
  if (std::isalpha(u) != 0 || c == '_') return Kind::Name;
  return std::isspace(u) != 0 ? Kind::Space : Kind::Sign;
}

/// Names, numbers, spaces, and all else character by character.
std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  for (const char c : text) {
    const Kind kind = KindOf(c);
    const Kind before = words.empty() ? Kind::Sign : KindOf(words.back()[0]);
    const bool joins =
        kind != Kind::Sign && (kind == before || (before == Kind::Name && kind == Kind::Number));
    if (!joins) words.emplace_back();
    words.back() += c;
  }
  return words;
}

/// Changes words of a region: to others of it, of another file, or to what may stand there.
std::string Mutate(const std::string& text, const std::string& other, Prng& prng) {
  static const std::vector<std::string> kPieces = {"0",
                                                   "1",
                                                   "-1",
                                                   "2",
                                                   "n",
                                                   "i",
                                                   "j",
                                                   "t",
                                                   "+",
                                                   "-",
                                                   "*",
                                                   "/",
                                                   "%",
                                                   "<",
                                                   "<=",
                                                   ">",
                                                   "!=",
                                                   "==",
                                                   "=",
                                                   "+=",
                                                   "*=",
                                                   ";",
                                                   ",",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   "break;",
                                                   "continue;",
                                                   "return;",
                                                   "if (i > 2) ",
                                                   "else ",
                                                   "for (int q = 0; q < 3; q++) ",
                                                   "while (1) ",
                                                   "(int)",
                                                   "(float)",
                                                   "& ",
                                                   "?",
                                                   ":",
                                                   "i ? 1 : 2",
                                                   "99999999999",
                                                   "1e400",
                                                   "0.5f",
                                                   "double z = 1.0;",
                                                   "\n#pragma endscop\n",
                                                   "\n#pragma scop\n",
                                                   "sizeof(",
                                                   "\"\"",
                                                   "'a'",
                                                   "->",
                                                   ".",
                                                   "&&",
                                                   "!",
                                                   "~",
                                                   "^=",
                                                   "<<",
                                                   "i++"};
  static const std::vector<std::string> kOperators = {"+", "-", "*"};
  const std::size_t begin = text.find(kBegin), end = text.rfind(kEnd);
  std::vector<std::string> words = WordsOf(text.substr(begin, end - begin));
  const std::vector<std::string> others = WordsOf(other);
  for (int k = prng.Range(1, 3); k > 0; --k) {
    const auto at = static_cast<std::size_t>(prng.Below(static_cast<int>(words.size())));
    const auto place = words.begin() + static_cast<std::ptrdiff_t>(at);
    // Mostly what clang understands.
    if (prng.Percent(75)) {
      const std::string word = prng.Pick(words);
      const bool same = KindOf(word[0]) == KindOf((*place)[0]) && KindOf(word[0]) != Kind::Sign;
      const bool operators = std::string("+-*").find(*place) != std::string::npos;
      if (same || operators) *place = same ? word : prng.Pick(kOperators);
      continue;
    }
    switch (prng.Below(6)) {
      case 0:
        if (words.size() > 1) words.erase(place);
        break;
      case 1:
        words.insert(place, prng.Pick(kPieces));
        break;
      case 2:
        *place = prng.Pick(kPieces);
        break;
      case 3:
        *place = prng.Pick(others);
        break;
      default:
        *place = std::string(prng.Pick(words));
    }
  }
  std::string changed = text.substr(0, begin);
  for (const std::string& word : words) changed += word;
  return changed + text.substr(end);
}

TEST_CASE("a mutated region is refused or becomes a program") {
  const int mutants = FromEnvironment("STENCILGEN_MUTATED_REGIONS", 250);
  const std::vector<Seed> seeds = Seeds();
  REQUIRE(seeds.size() > 100);
  Prng prng(static_cast<std::uint64_t>(FromEnvironment("STENCILGEN_RANDOM_SEED", 1)));
  int understood = 0;
  std::set<std::string> ids;
  for (int k = 0; k < mutants; ++k) {
    const Seed& seed = prng.Pick(seeds);
    const std::string text = Mutate(seed.text, prng.Pick(seeds).text, prng);
    const auto options = driver::ParseCommandLine({seed.path, "--emit", "graph"});
    REQUIRE(std::holds_alternative<driver::Options>(options));
    const SourceFile source(seed.path, text);
    DiagnosticSink sink;
    INFO(text);
    const auto result = driver::EmbedBlocks(source, std::get<driver::Options>(options), sink);
    REQUIRE(result.has_value() == !sink.HasErrors());
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      REQUIRE(diagnostic.span.begin <= diagnostic.span.end);
      REQUIRE(diagnostic.span.end <= text.size());
      ids.insert(diagnostic.id);
    }
    REQUIRE(RenderText(source, sink.diagnostics(), 5, true).empty() == sink.diagnostics().empty());
    if (!result) continue;
    REQUIRE((result->usage_error.has_value() || result->outputs.size() == 1));
    ++understood;
  }
  CHECK(understood > mutants / 20);  // or the mutants would only test clang
  CHECK(ids.size() > 15);
}

}  // namespace
}  // namespace stencilgen::testing
