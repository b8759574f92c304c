#include "tools/main/manual.h"

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/subprocess.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

// The manual page and the completions, which are made from the table of options.
namespace stencilgen::driver {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Escaped(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

TEST_CASE("the manual page has every option and no error", "[manual]") {
  const std::string page = ManualPage("0.0");
  for (const OptionSpec& spec : OptionTable()) {
    INFO(spec.name);
    CHECK(Contains(page, fmt::format("\\fB{}\\fR", Escaped(spec.name))));
  }
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "NOTES"}) {
    CHECK(Contains(page, fmt::format(".SH {}\n", section)));
  }
  if (FindProgram("groff").empty()) return;
  const testing::TemporaryDirectory folder;
  const std::string file = (folder.path() / "stencilgen.1").string();
  std::ofstream(file) << page;
  const ProcessResult result =
      RunProcess({"sh", "-c", fmt::format("groff -man -Tascii -ww '{}' 2>&1 >/dev/null", file)});
  CHECK(result.status == 0);
  CHECK(result.output.empty());
}

TEST_CASE("options take the values that they are completed to", "[manual]") {
  int options_with_choices = 0;
  for (const OptionSpec& spec : OptionTable()) {
    const std::vector<std::string> choices = ChoicesOf(spec);
    if (choices.empty()) continue;
    ++options_with_choices;
    for (const std::string& choice : choices) {
      INFO(spec.name << " " << choice);
      Options options;
      CHECK_FALSE(spec.apply(options, choice).has_value());
    }
    Options options;
    CHECK(spec.apply(options, "no-such-choice").has_value());
  }
  CHECK(options_with_choices >= 9);
}

/// The words that bash offers at the end of the line.
std::vector<std::string> BashOffers(const std::vector<std::string>& words) {
  const testing::TemporaryDirectory folder;
  const std::string script = (folder.path() / "completion.bash").string();
  std::ofstream(script) << CompletionScript("bash");
  std::string line;
  for (const std::string& word : words) line += fmt::format(" '{}'", word);
  // `compopt` works only while a line is typed.
  const ProcessResult result = RunProcess(
      {"bash", "-c",
       fmt::format("cd '{}' && touch 'a b.idsl' b.txt && compopt() {{ :; }} && source '{}' && "
                   "COMP_WORDS=(stencilgen{}) && COMP_CWORD={} && _stencilgen && "
                   "printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                   folder.path().string(), script, line, words.size())});
  INFO(result.output);
  REQUIRE(result.status == 0);
  std::vector<std::string> offers;
  std::string text = result.output;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    if (end > 0) offers.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  return offers;
}

using Words = std::vector<std::string>;

TEST_CASE("bash completes options, values and files", "[manual]") {
  for (const bool run : {false, true}) {
    const Words offers = BashOffers(run ? Words{"run", "--"} : Words{"--"});
    for (const OptionSpec& spec : OptionTable()) {
      INFO(spec.name);
      const bool offered = std::count(offers.begin(), offers.end(), spec.name) == 1;
      CHECK(offered == (run ? spec.run : spec.compile));
    }
  }
  CHECK(BashOffers({"--fu"}) ==
        Words{"--fusion", "--fusion-limit", "--fusion-objective", "--fusion-recompile"});
  CHECK(BashOffers({"--emit", "g"}) == Words{"graph"});
  CHECK(BashOffers({"--fp", "=", "s"}) == Words{"strict"});
  CHECK(BashOffers({"--fp", "="}) == Words{"fast", "strict"});
  CHECK(BashOffers({"a"}) == Words{"a b.idsl"});
  CHECK(BashOffers({"b"}) == Words{"build"});
  CHECK(BashOffers({"c"}).empty());
  CHECK(BashOffers({"-o", "b"}) == Words{"b.txt"});
  CHECK(BashOffers({"r"}) == Words{"run"});
  CHECK(BashOffers({"--seed", ""}).empty());
}

TEST_CASE("zsh and fish know every option", "[manual]") {
  const std::string zsh = CompletionScript("zsh");
  const std::string fish = CompletionScript("fish");
  for (const OptionSpec& spec : OptionTable()) {
    INFO(spec.name);
    const std::string name(spec.name);
    CHECK(Contains(zsh, fmt::format("'{}{}[", spec.repeatable ? "*" : "", name)));
    CHECK(Contains(fish, fmt::format(" -l {} ", name.substr(2))));
    for (const std::string& choice : ChoicesOf(spec)) {
      CHECK(Contains(zsh, choice));
      CHECK(Contains(fish, choice));
    }
  }
  const testing::TemporaryDirectory folder;
  for (const auto& [shell, text] : {std::pair("zsh", zsh), std::pair("fish", fish)}) {
    if (FindProgram(shell).empty()) continue;
    const std::string file = (folder.path() / shell).string();
    std::ofstream(file) << text;
    const ProcessResult result = RunProcess({shell, "-n", file});
    INFO(result.output);
    CHECK(result.status == 0);
  }
}

}  // namespace
}  // namespace stencilgen::driver
