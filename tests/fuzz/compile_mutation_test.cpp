// The whole compiler on broken programs: it reports an error or gives code whose graph verifies.
#include <cctype>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "support/bad_programs.h"
#include "support/catch.h"
#include "support/idsl_files.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

struct Outcome {
  bool compiled = false;
  std::size_t errors = 0;
  bool located = true;  ///< every diagnostic lies in the text
};

Outcome CompileText(const std::string& name, const std::string& text) {
  const SourceFile source(name, text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.verify = true;  // aborts on a broken graph
  const auto compiled = driver::Compile(source, options, sink);
  Outcome outcome{compiled.has_value(), sink.ErrorCount(), true};
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    outcome.located = outcome.located && diagnostic.span.begin <= diagnostic.span.end &&
                      diagnostic.span.end <= text.size() && !diagnostic.id.empty();
  }
  return outcome;
}

/// Names, numbers and operators, as [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> Words(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (in_word(text[at])) {
      while (end < text.size() && in_word(text[end])) ++end;
    }
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) words.emplace_back(at, end);
    at = end;
  }
  return words;
}

/// Mostly keeps the syntax: exchanges a name or number for another of the program or for an awkward
/// number, now and then drops or exchanges any word.
std::string MutateWords(std::string text, Prng& prng) {
  static const std::vector<std::string> kNumbers = {"0",  "-1",  "1",    "2147483647", "2147483648",
                                                    "64", "1e9", "0.5f", "1e308",      "100000"};
  for (int i = prng.Range(1, 3); i > 0; --i) {
    const auto words = Words(text);
    if (words.empty()) break;
    const auto [begin, end] = prng.Pick(words);
    const auto [from, to] = prng.Pick(words);
    const bool names = std::isalnum(static_cast<unsigned char>(text[begin])) != 0 &&
                       std::isalnum(static_cast<unsigned char>(text[from])) != 0;
    const std::string other = text.substr(from, to - from);
    if (names && prng.Percent(80)) {
      text.replace(begin, end - begin, prng.Percent(30) ? prng.Pick(kNumbers) : other);
    } else if (prng.Percent(10)) {
      text.replace(begin, end - begin, prng.Percent(50) ? "" : other);
    }
  }
  return text;
}

TEST_CASE("every broken program is refused with a located error") {
  int count = 0;
  for (const BadProgram& bad : BadPrograms()) {
    INFO(bad.name);
    const Outcome outcome = CompileText(bad.name, bad.text);
    CHECK_FALSE(outcome.compiled);
    CHECK(outcome.errors > 0);
    CHECK(outcome.located);
    ++count;
  }
  CHECK(count >= 200);
}

TEST_CASE("a mutated program compiles or is refused") {
  constexpr int kMutants = 4000;
  std::vector<IdslText> seeds = GoodPrograms();
  for (const char* folder : {"tests/golden/graph", "tests/golden/plan"}) {
    for (IdslText& file : IdslFilesIn(folder)) {
      file.text.resize(file.text.find("// ----"));
      if (file.text.size() < 4000) seeds.push_back(std::move(file));
    }
  }
  Prng prng(20);
  int compiled = 0;
  for (int i = 0; i < kMutants; ++i) {
    const IdslText& seed = prng.Pick(seeds);
    const std::string text = MutateWords(seed.text, prng);
    INFO(seed.name << "\n" << text);
    const Outcome outcome = CompileText(seed.name, text);
    REQUIRE(outcome.compiled == (outcome.errors == 0));
    REQUIRE(outcome.located);
    if (outcome.compiled) ++compiled;
  }
  CHECK(compiled > kMutants / 20);  // or the mutants would only test the parser
}

}  // namespace
}  // namespace stencilgen::testing
