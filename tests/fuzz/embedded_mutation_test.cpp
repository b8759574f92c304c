// Broken C++ files with stencils in them: they are refused with located errors and nothing is
// written, or they come out with all that is outside of the blocks.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "driver/embed.h"
#include "frontend/embedded_blocks.h"
#include "support/catch.h"
#include "support/prng.h"

namespace stencilgen::testing {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The C++ files of the tests and examples, without what golden files expect.
std::vector<std::string> Seeds() {
  std::vector<fs::path> paths;
  for (const char* folder : {"tests/golden/embedded", "tests/exec/embedded", "examples"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(STENCILGEN_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".cpp") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    const std::string text = ReadFile(path);
    seeds.push_back(text.substr(0, text.find("// ----\n")));
  }
  return seeds;
}

/// What the options of a run say; they change what is checked and what is printed.
driver::Options SomeOptions(Prng& prng) {
  static const std::vector<std::vector<std::string>> kChoices = {{},
                                                                 {"--fp", "strict"},
                                                                 {"--emit", "plan"},
                                                                 {"-D", "N=8"},
                                                                 {"--blockdim", "x=64"},
                                                                 {"--stream", "j"}};
  std::vector<std::string> arguments = {"file.cpp", "-o", "out", "--no-standalone"};
  if (prng.Percent(60)) arguments.insert(arguments.end(), {"--target", "cpp"});
  const auto& more = prng.Pick(kChoices);
  const bool gpu = !more.empty() && (more[0] == "--blockdim" || more[0] == "--stream");
  if (!gpu || arguments.back() != "cpp")
    arguments.insert(arguments.end(), more.begin(), more.end());
  const auto parsed = driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<driver::Options>(parsed));
  return std::get<driver::Options>(parsed);
}

/// Changes lines, words and characters; much of it near `#pragma`.
std::string Mutate(std::string text, const std::string& other, Prng& prng) {
  static const std::vector<std::string> kPieces = {"#pragma dsl begin\n",
                                                   "#pragma dsl end\n",
                                                   "\n#pragma dsl",
                                                   "/*",
                                                   "*/",
                                                   "//",
                                                   "\"",
                                                   "'",
                                                   "R\"(",
                                                   ")\"",
                                                   "\\\n",
                                                   "\\",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   "#",
                                                   "#if X\n",
                                                   "#endif\n",
                                                   ":",
                                                   ",",
                                                   "=",
                                                   "-",
                                                   "block:",
                                                   "32,4 ",
                                                   " unroll:1,1",
                                                   " stream:j",
                                                   " shmem:48",
                                                   " name:f",
                                                   " time-tile:2",
                                                   " fp:strict",
                                                   " ndim:N=5",
                                                   " retime",
                                                   " shared-mem:true",
                                                   "parameter",
                                                   "iterator",
                                                   "{",
                                                   "}",
                                                   "(",
                                                   ";",
                                                   " ",
                                                   std::string(1, '\0'),
                                                   "\xFF",
                                                   "\xC3\xA9",
                                                   "99999999999999999999",
                                                   "-1",
                                                   "0",
                                                   "begin",
                                                   "end",
                                                   "dsl",
                                                   "pragma"};
  for (int k = prng.Range(1, 4); k > 0 && !text.empty(); --k) {
    auto at = static_cast<std::size_t>(prng.Below(static_cast<int>(text.size())));
    if (prng.Percent(50)) {
      const std::size_t pragma = text.find("#pragma", at);
      if (pragma != std::string::npos) {
        at = std::min(pragma + static_cast<std::size_t>(prng.Below(40)), text.size() - 1);
      }
    }
    const auto length = std::min(static_cast<std::size_t>(prng.Range(1, 12)), text.size() - at);
    switch (prng.Below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.resize(prng.Percent(20) ? at : text.size());
        break;
      case 3: {
        // A piece of another file.
        const auto from = static_cast<std::size_t>(prng.Below(static_cast<int>(other.size())));
        text.insert(at, other.substr(from, static_cast<std::size_t>(prng.Range(1, 80))));
        break;
      }
      default:
        text.replace(at, prng.Percent(50) ? 0 : length, prng.Pick(kPieces));
    }
  }
  return text;
}

/// The text outside of blocks is in what is written, in order.
bool KeepsText(const SourceFile& source, const std::string& written) {
  DiagnosticSink sink;
  const auto file = FindEmbeddedBlocks(source, sink);
  if (!file) return false;
  std::size_t begin = 0;
  std::size_t at = 0;
  const auto keeps = [&](std::size_t end) {
    const std::string piece = source.text().substr(begin, end - begin);
    at = written.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    return true;
  };
  // Each pair is what something takes the place of.
  std::vector<std::size_t> cuts = {file->definitions, file->definitions};
  for (const std::size_t line : file->renumbered) cuts.insert(cuts.end(), {line, line});
  for (const EmbeddedBlock& block : file->blocks) {
    cuts.insert(cuts.end(), {block.whole.begin, block.whole.end});
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t k = 0; k < cuts.size(); k += 2) {
    if (!keeps(cuts[k])) return false;
    begin = cuts[k + 1];
  }
  return keeps(source.text().size());
}

TEST_CASE("a mutated C++ file is refused or translated") {
  constexpr int kMutants = 5000;
  const std::vector<std::string> seeds = Seeds();
  REQUIRE(seeds.size() > 60);
  Prng prng(31);
  int translated = 0;
  std::set<std::string> ids;
  for (int k = 0; k < kMutants; ++k) {
    const std::string text = Mutate(prng.Pick(seeds), prng.Pick(seeds), prng);
    const driver::Options options = SomeOptions(prng);
    const SourceFile source("file.cpp", text);
    DiagnosticSink sink;
    INFO(text);
    const auto result = driver::EmbedBlocks(source, options, sink);
    REQUIRE(result.has_value() == !sink.HasErrors());
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      REQUIRE(diagnostic.span.begin <= diagnostic.span.end);
      REQUIRE(diagnostic.span.end <= text.size());
      ids.insert(diagnostic.id);
    }
    REQUIRE(RenderText(source, sink.diagnostics(), 5, true).empty() == sink.diagnostics().empty());
    if (!result) continue;
    REQUIRE((result->usage_error.has_value() || result->outputs.size() == 1));
    if (result->usage_error || options.stage) continue;
    REQUIRE(KeepsText(source, result->outputs[0].text));
    ++translated;
  }
  CHECK(translated > kMutants / 20);  // or the mutants would only test the scanner
  CHECK(ids.size() > 25);
}

}  // namespace
}  // namespace stencilgen::testing
