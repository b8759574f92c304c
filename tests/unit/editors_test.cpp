#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "driver/subprocess.h"
#include "support/catch.h"
#include "support/functions.h"
#include "support/temporary_directory.h"

// What colours programs in editors knows every word of the language.
namespace stencilgen {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kEditors = fs::path(STENCILGEN_SOURCE_DIR) / "grammar" / "editors";

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The words that the grammar of the language reserves.
std::vector<std::string> Keywords() {
  const std::string grammar = ReadFile(kEditors.parent_path() / "Idsl.g4");
  const std::regex rule("KW_[A-Z_]+ : '([^']+)' ;");
  std::vector<std::string> words;
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), rule), end; at != end; ++at) {
    words.push_back((*at)[1]);
  }
  REQUIRE(words.size() >= 20);
  return words;
}

/// Applies a TextMate grammar as editors do: at each place the pattern that begins first, among
/// those the one listed first. Of patterns with a begin and an end, comments alone are needed.
class TextMate {
 public:
  explicit TextMate(const json& grammar) : repository_(grammar["repository"]) {
    Collect(grammar["patterns"]);
  }

  /// The scope of the first character of `word` in the line.
  std::string ScopeOf(const std::string& line, const std::string& word) const {
    const std::size_t place = line.find(word);
    REQUIRE(place != std::string::npos);
    std::size_t from = 0;
    while (from < line.size()) {
      std::smatch first;
      const Pattern* chosen = nullptr;
      for (const Pattern& pattern : patterns_) {
        std::smatch match;
        const auto begin = line.begin() + static_cast<std::ptrdiff_t>(from);
        const auto flags =
            from > 0 ? std::regex_constants::match_prev_avail : std::regex_constants::match_default;
        if (!std::regex_search(begin, line.end(), match, pattern.regex, flags)) continue;
        if (chosen == nullptr || match.position(0) < first.position(0)) {
          chosen = &pattern;
          first = match;
        }
      }
      if (chosen == nullptr) return "";
      const std::size_t start = from + static_cast<std::size_t>(first.position(0));
      const std::size_t end = start + static_cast<std::size_t>(first.length(0));
      if (place < start) return "";
      if (place < end) return ScopeInside(*chosen, first, from, place);
      from = end;
    }
    return "";
  }

 private:
  struct Pattern {
    std::regex regex;
    std::string name;
    std::map<std::size_t, std::string> captures;
  };

  void Collect(const json& patterns) {
    for (const json& pattern : patterns) {
      if (pattern.contains("include")) {
        const std::string name = pattern["include"].get<std::string>().substr(1);
        REQUIRE(repository_.contains(name));
        Collect(repository_[name]["patterns"]);
        continue;
      }
      const std::string text = pattern.contains("match")
                                   ? pattern["match"].get<std::string>()
                                   : fmt::format("{}.*?{}", pattern["begin"].get<std::string>(),
                                                 pattern["end"].get<std::string>());
      Pattern made{std::regex(text), pattern.value("name", ""), {}};
      if (pattern.contains("captures")) {
        for (const auto& [number, capture] : pattern["captures"].items()) {
          made.captures[std::stoul(number)] = capture["name"];
        }
      }
      patterns_.push_back(std::move(made));
    }
  }

  static std::string ScopeInside(const Pattern& pattern, const std::smatch& match, std::size_t from,
                                 std::size_t place) {
    for (const auto& [number, name] : pattern.captures) {
      const std::size_t start = from + static_cast<std::size_t>(match.position(number));
      if (start <= place && place < start + static_cast<std::size_t>(match.length(number))) {
        return name;
      }
    }
    return pattern.name;
  }

  const json repository_;
  std::vector<Pattern> patterns_;
};

struct Sample {
  std::string line, word, scope;
  std::string vim;  ///< the group of Vim
};

/// Places of all kinds, and what they are.
std::vector<Sample> Samples() {
  return {
      {"parameter M=512, N;", "parameter", "keyword.declaration.section", "idslSection"},
      {"parameter M=512, N;", "M", "variable.other", "idslName"},
      {"parameter M=512, N;", "512", "constant.numeric.integer", "idslNumber"},
      {"iterator j, i;", "iterator", "keyword.declaration.section", "idslSection"},
      {"double in[M,N];", "double", "storage.type", "idslType"},
      {"stencil s (A, inout:B) {", "stencil", "keyword.declaration.stencil", "idslStencil"},
      {"stencil s (A, inout:B) {", "inout", "storage.modifier", "idslPlacement"},
      {"  no-shmem d;", "no-shmem", "storage.modifier", "idslPlacement"},
      {"  shmem a, b;", "shmem", "storage.modifier", "idslPlacement"},
      {"  B[j][i] = 0.25*A[j-1][i];", "0.25", "constant.numeric.float", "idslFloat"},
      {"  B[j][i] = 5.*A[j-1][i];", "5.", "constant.numeric.float", "idslFloat"},
      {"  B[j][i] = .5*A[j-1][i];", ".5", "constant.numeric.float", "idslFloat"},
      {"  B[j][i] = 1e-20*A[j-1][i];", "1e-20", "constant.numeric.float", "idslFloat"},
      {"  B[j][i] = 2.5f*A[j-1][i];", "2.5f", "constant.numeric.float", "idslFloat"},
      {"  B[j][i] += A[j][i];", "+=", "keyword.operator.assignment", "idslOperator"},
      {"  c = sqrt (A[j][i]);", "sqrt", "support.function.math", "idslFunction"},
      {"[0:0][0..9] : edge (in, out);", "edge", "entity.name.function.call", "idslCall"},
      {"[0:0][7..9] : edge (in, out);", "7", "constant.numeric.integer", "idslNumber"},
      {"iterate 100 {", "iterate", "keyword.control", "idslControl"},
      {"boundary u = [wrap, constant(0.0)];", "wrap", "constant.language", "idslMode"},
      {"double maximum, into;", "maximum", "variable.other", "idslName"},
      {"double maximum, into;", "into", "variable.other", "idslName"},
      {"a = b; // parameter", "parameter", "comment.line.double-slash", "idslComment"},
      {"a = /* swap */ b;", "swap", "comment.block", "idslComment"},
  };
}

TEST_CASE("the TextMate grammar knows every word", "[editors]") {
  const json grammar =
      json::parse(ReadFile(kEditors / "vscode" / "syntaxes" / "idsl.tmLanguage.json"));
  const TextMate text_mate(grammar);
  for (const std::string& word : Keywords()) {
    INFO(word);
    const std::string scope = text_mate.ScopeOf(fmt::format("{} x;", word), word);
    CHECK((scope.rfind("keyword.", 0) == 0 || scope.rfind("storage.", 0) == 0));
    // Nor a part of a longer word.
    CHECK(text_mate.ScopeOf(fmt::format("my_{} = x;", word), "my_") == "variable.other.idsl");
  }
  for (const FunctionInfo& function : AllFunctions()) {
    INFO(function.name);
    CHECK(text_mate.ScopeOf(fmt::format("a = {}(x);", function.name), std::string(function.name)) ==
          "support.function.math.idsl");
  }
  for (const Sample& sample : Samples()) {
    INFO(sample.line << " at " << sample.word);
    CHECK(text_mate.ScopeOf(sample.line, sample.word) == fmt::format("{}.idsl", sample.scope));
  }
  CHECK(text_mate.ScopeOf("stencil wave (A) {", "wave") == "entity.name.function.idsl");
}

TEST_CASE("blocks inside of C++ begin and end at the pragmas", "[editors]") {
  const json grammar =
      json::parse(ReadFile(kEditors / "vscode" / "syntaxes" / "idsl-embedded.tmLanguage.json"));
  const json& block = grammar["patterns"][0];
  const std::regex begin(block["begin"].get<std::string>());
  const std::regex end(block["end"].get<std::string>());
  for (const char* line : {"#pragma dsl begin", "  # pragma  dsl begin block:32,16 stream:k"}) {
    CHECK(std::regex_search(line, begin));
  }
  for (const char* line : {"#pragma dsl end", "#pragma omp begin", "// #pragma dsl begin"}) {
    CHECK_FALSE(std::regex_search(line, begin));
  }
  CHECK(std::regex_search("#pragma dsl end", end));
  CHECK_FALSE(std::regex_search("end", end));
  CHECK(block["patterns"][0]["include"] == "source.idsl");
}

TEST_CASE("the extension of VS Code names its files", "[editors]") {
  const fs::path folder = kEditors / "vscode";
  const json package = json::parse(ReadFile(folder / "package.json"));
  for (const json& language : package["contributes"]["languages"]) {
    const std::string file = language["configuration"];
    CHECK_FALSE(json::parse(ReadFile(folder / file)).empty());
  }
  for (const json& grammar : package["contributes"]["grammars"]) {
    const std::string file = grammar["path"];
    CHECK(json::parse(ReadFile(folder / file))["scopeName"] == grammar["scopeName"]);
  }
}

/// What Vim colours at the places: `LINE:COLUMN` of a file, from 1. None where there is no Vim that
/// has colours.
std::optional<std::vector<std::string>> VimGroups(const std::string& name, const std::string& text,
                                                  const std::vector<std::string>& places) {
  const std::string vim = driver::FindProgram("vim");
  if (vim.empty()) return std::nullopt;
  if (driver::RunProcess({vim, "--version"}).output.find("+syntax") == std::string::npos) {
    return std::nullopt;
  }
  const testing::TemporaryDirectory folder;
  std::ofstream(folder.path() / name, std::ios::binary) << text;
  std::string script = fmt::format(
      "set nocompatible\nset runtimepath={0},$VIMRUNTIME,{0}/after\nfiletype on\nsyntax on\n"
      "edit {1}\nlet g:out = []\n",
      (kEditors / "vim").string(), (folder.path() / name).string());
  for (const std::string& place : places) {
    script += fmt::format("call add(g:out, synIDattr(synID({}, 1), 'name'))\n",
                          std::regex_replace(place, std::regex(":"), ", "));
  }
  script += fmt::format("call writefile(g:out, '{}')\nqall!\n", (folder.path() / "out").string());
  std::ofstream(folder.path() / "script.vim", std::ios::binary) << script;
  driver::RunProcess({vim, "-u", "NONE", "-i", "NONE", "-n", "-es", "-S",
                      (folder.path() / "script.vim").string()});
  std::ifstream out(folder.path() / "out");
  std::vector<std::string> groups;
  for (std::string line; std::getline(out, line);) groups.push_back(line);
  return groups;
}

TEST_CASE("Vim's syntax knows every word", "[editors]") {
  std::string text;
  std::vector<std::string> places;
  std::vector<std::string> expected;
  int line = 0;
  const auto add = [&](const std::string& sample, const std::string& word,
                       const std::string& group) {
    text += sample + "\n";
    places.push_back(fmt::format("{}:{}", ++line, sample.find(word) + 1));
    expected.push_back(group);
  };
  for (const Sample& sample : Samples()) add(sample.line, sample.word, sample.vim);
  const std::size_t samples = expected.size();
  for (const std::string& word : Keywords()) add(word + " x;", word, "");
  for (const FunctionInfo& function : AllFunctions()) {
    const std::string name(function.name);
    add(fmt::format("a = {}(x);", name), name, "idslFunction");
  }
  const auto groups = VimGroups("a.idsl", text, places);
  if (!groups) return;
  REQUIRE(groups->size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    INFO(places[k]);
    if (expected[k].empty()) {
      CHECK((*groups)[k] != "");
      CHECK((*groups)[k] != "idslName");
    } else {
      CHECK((*groups)[k] == expected[k]);
    }
  }
  CHECK(samples == Samples().size());

  const auto embedded = VimGroups("app.cpp",
                                  "void f(double* in, int M) {\n"
                                  "#pragma dsl begin block:32\n"
                                  "  parameter M;\n"
                                  "#pragma dsl end\n"
                                  "  return;\n"
                                  "}\n",
                                  {"2:1", "3:3", "4:1", "5:3", "1:1"});
  REQUIRE(embedded->size() == 5);
  CHECK((*embedded)[0] == "PreProc");
  CHECK((*embedded)[1] == "idslSection");
  CHECK((*embedded)[2] == "PreProc");
  CHECK((*embedded)[3] == "cStatement");
  CHECK((*embedded)[4] == "cType");
}

}  // namespace
}  // namespace stencilgen
