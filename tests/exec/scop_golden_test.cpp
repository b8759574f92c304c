// C and C++ files whose regions draw messages: each file of tests/golden/scop holds the code, a
// line
// `// ----` and all that is said about it. STENCILGEN_UPDATE_GOLDEN=1 rewrites what is said. A line
// `// command: ...` has options of the command line.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "driver/embed.h"
#include "driver/options.h"
#include "support/catch.h"
#include "support/diagnostics.h"

/// libclang loses the text of a file whose options it refuses.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:getNewUninitMemBuffer\n";
}

namespace {

namespace fs = std::filesystem;
using stencilgen::DiagnosticSink;
using stencilgen::SourceFile;

constexpr const char* kSeparator = "// ----\n";

/// What is said about the file, and the text that comes of its regions where nothing is wrong.
std::string Said(const std::string& name, const std::string& code) {
  const SourceFile source(name, code);
  std::vector<std::string> arguments = {name, "--emit", "idsl"};
  std::smatch match;
  if (std::regex_search(code, match, std::regex("// command:([^\n]*)"))) {
    std::istringstream words(match[1].str());
    for (std::string word; words >> word;) arguments.push_back(word);
  }
  const auto options = stencilgen::driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<stencilgen::driver::Options>(options));
  DiagnosticSink sink;
  const auto result =
      stencilgen::driver::EmbedBlocks(source, std::get<stencilgen::driver::Options>(options), sink);
  CHECK(result.has_value() == !sink.HasErrors());
  return stencilgen::RenderText(source, sink.diagnostics(), 0, false);
}

}  // namespace

TEST_CASE("what is said about regions") {
  const bool update = std::getenv("STENCILGEN_UPDATE_GOLDEN") != nullptr;
  REQUIRE_FALSE((update && std::getenv("CI") != nullptr));
  std::vector<fs::path> files;
  const fs::path folder = fs::path(STENCILGEN_SOURCE_DIR) / "tests/golden/scop";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".c" || extension == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    DYNAMIC_SECTION(path.filename().string()) {
      std::ifstream in(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      const std::size_t at = text.find(kSeparator);
      const std::string code = text.substr(0, at);
      const std::string expected =
          at == std::string::npos ? "" : text.substr(at + std::string(kSeparator).size());
      const std::string actual = Said(path.filename().string(), code);
      CHECK_FALSE(actual.empty());
      if (update && actual != expected) {
        std::ofstream(path, std::ios::binary) << code << kSeparator << actual;
      } else {
        CHECK(actual == expected);
      }
    }
  }
}

TEST_CASE("nothing is said about regions that become programs") {
  std::size_t count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(STENCILGEN_SOURCE_DIR) / "tests/exec/scop")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".c" && path.extension() != ".cpp") continue;
    INFO(path.filename().string());
    std::ifstream in(path, std::ios::binary);
    // By its whole path, beside which check.h is.
    CHECK(Said(path.string(), {std::istreambuf_iterator<char>(in), {}}).empty());
    ++count;
  }
  CHECK(count > 20);
}
