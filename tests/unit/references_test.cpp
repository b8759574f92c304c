// Files that documents and comments name are in the repository.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"

namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

const fs::path& Root() {
  static const fs::path kRoot = STENCILGEN_SOURCE_DIR;
  return kRoot;
}

/// The project's files; not those that are built.
const std::vector<fs::path>& Files() {
  static const std::vector<fs::path> kFiles = [] {
    std::vector<fs::path> all;
    for (const char* folder :
         {"benchmarks", "compiler", "examples", "grammar", "runtime", "tests"}) {
      for (const auto& entry : fs::recursive_directory_iterator(Root() / folder)) {
        if (entry.is_regular_file()) all.push_back(entry.path());
      }
    }
    all.push_back(Root() / "README.md");
    return all;
  }();
  return kFiles;
}

/// True where a file's path ends with the name: `plan/cost.h`, `cost.h`.
bool IsThere(const std::string& name) {
  static const std::set<std::string> kEnds = [] {
    std::set<std::string> all;
    for (const fs::path& file : Files()) {
      std::string path = file.lexically_relative(Root()).generic_string();
      while (true) {
        all.insert(path);
        const std::size_t slash = path.find('/');
        if (slash == std::string::npos) break;
        path.erase(0, slash + 1);
      }
    }
    return all;
  }();
  return kEnds.count(std::regex_replace(name, std::regex(R"(^(\.\./|\./)+)"), "")) > 0;
}

std::vector<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1].str());
  }
  return found;
}

/// The text without its blocks of code.
std::string WithoutCode(const std::string& text) {
  std::string rest;
  bool code = false;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const bool fence = text.compare(at, 3, "```") == 0;
    if (!code && !fence) rest.append(text, at, end - at);
    code = code != fence;
    at = end;
  }
  return rest;
}

}  // namespace

TEST_CASE("links of documents lead to files") {
  const std::regex link(R"re(\]\(([^)#\s]+)(?:#[^)]*)?\))re");
  int checked = 0;
  for (const fs::path& file : Files()) {
    if (file.extension() != ".md") continue;
    for (const std::string& target : Matches(WithoutCode(ReadFile(file)), link)) {
      if (target.rfind("http", 0) == 0 || target == "...") continue;
      INFO(file.string() << " links to " << target);
      CHECK(fs::exists(file.parent_path() / target));
      ++checked;
    }
  }
  CHECK(checked > 80);
}

TEST_CASE("sources that documents name by their folder are there") {
  const std::regex name(R"re(`([\w./-]+/[\w.-]+\.(?:h|hpp|cpp|cmake|py|md|g4|sh)))re"
                        "`");
  int checked = 0;
  for (const fs::path& file : Files()) {
    if (file.extension() != ".md") continue;
    for (const std::string& source : Matches(WithoutCode(ReadFile(file)), name)) {
      if (source.find("TARGET") != std::string::npos) continue;  // stands for several
      INFO(file.string() << " names " << source);
      CHECK(IsThere(source));
      ++checked;
    }
  }
  CHECK(checked > 120);
}

TEST_CASE("documents and sources that comments name are there") {
  const std::regex comment(R"re(//(.*))re");
  // Documents by any name, sources by their folder.
  const std::regex name(
      R"re((?:^|[\s(`"<])((?:[\w.-]+/)*[\w-]+\.md|(?:[\w.-]+/)+[\w-]+\.(?:h|hpp|cpp))\b(?!\.\w))re");
  int checked = 0;
  for (const fs::path& file : Files()) {
    const std::string extension = file.extension().string();
    if (extension != ".h" && extension != ".cpp" && extension != ".hpp") continue;
    for (const std::string& text : Matches(ReadFile(file), comment)) {
      for (const std::string& named : Matches(text, name)) {
        if (named.find("DIR/") == 0) continue;  // stands for any folder
        INFO(file.string() << " names " << named);
        CHECK(IsThere(named));
        ++checked;
      }
    }
  }
  CHECK(checked > 20);
}
