// A folder of the compiler may only include what its CMakeLists.txt links.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "support/catch.h"

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Names Matches(const std::string& text, const std::regex& pattern) {
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    names.insert((*at)[1].str());
  }
  return names;
}

void Close(const std::string& folder, const std::map<std::string, Names>& links, Names& closed) {
  if (!closed.insert(folder).second) return;
  const auto found = links.find(folder);
  if (found == links.end()) return;
  for (const std::string& linked : found->second) Close(linked, links, closed);
}

}  // namespace

TEST_CASE("folders include only the folders they link") {
  const fs::path root = fs::path(STENCILGEN_SOURCE_DIR) / "compiler";
  std::map<std::string, Names> links;
  for (const auto& entry : fs::directory_iterator(root)) {
    const fs::path list = entry.path() / "CMakeLists.txt";
    if (fs::exists(list)) {
      links[entry.path().filename().string()] =
          Matches(ReadFile(list), std::regex(R"(stencilgen::(\w+))"));
    }
  }
  REQUIRE(links.size() >= 9);
  const std::regex include(R"re(#include "(\w+)/)re");
  int checked = 0;
  for (const auto& [folder, direct] : links) {
    Names allowed;
    Close(folder, links, allowed);
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      for (const std::string& used : Matches(ReadFile(entry.path()), include)) {
        INFO(entry.path().string() << " includes " << used << "/");
        if (links.count(used) > 0) CHECK(allowed.count(used) == 1);
        ++checked;
      }
    }
  }
  CHECK(checked > 100);
}
