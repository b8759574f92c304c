// A folder of the compiler may only include what its CMakeLists.txt links, and only embed files
// that it may include, and the runtime's.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/catch.h"

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path& Compiler() {
  static const fs::path kRoot = fs::path(STENCILGEN_SOURCE_DIR) / "compiler";
  return kRoot;
}

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

/// The library of a folder, as CMake names it: `tools_run` of `tools/run`.
std::string LibraryOf(const fs::path& folder) {
  std::string name = fs::relative(folder, Compiler()).generic_string();
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

/// CMakeLists.txt of the folders that are libraries, by the library's name.
std::map<std::string, fs::path> Lists() {
  std::map<std::string, fs::path> lists;
  for (const auto& entry : fs::recursive_directory_iterator(Compiler())) {
    if (entry.path().filename() != "CMakeLists.txt") continue;
    const fs::path folder = entry.path().parent_path();
    if (folder != Compiler()) lists[LibraryOf(folder)] = entry.path();
  }
  return lists;
}

/// What each library links of the compiler.
std::map<std::string, Names> Links(const std::map<std::string, fs::path>& lists) {
  std::map<std::string, Names> links;
  for (const auto& [library, list] : lists) {
    const std::string text = ReadFile(list);
    INFO(list.string());
    CHECK(text.find("stencilgen_library(" + library + " SOURCES") != std::string::npos);
    links[library] = Matches(text, std::regex(R"(stencilgen::(\w+))"));
  }
  return links;
}

void Close(const std::string& library, const std::map<std::string, Names>& links, Names& closed) {
  if (!closed.insert(library).second) return;
  const auto found = links.find(library);
  if (found == links.end()) return;
  for (const std::string& linked : found->second) Close(linked, links, closed);
}

/// The library that a file is a part of: that of the innermost folder with one.
std::string LibraryOfFile(fs::path path, const std::map<std::string, fs::path>& lists) {
  for (path = path.parent_path(); path.generic_string().size() > Compiler().generic_string().size();
       path = path.parent_path()) {
    const std::string library = LibraryOf(path);
    if (lists.count(library) > 0) return library;
  }
  return "";
}

}  // namespace

TEST_CASE("folders include only the folders they link") {
  const std::map<std::string, fs::path> lists = Lists();
  REQUIRE(lists.size() >= 16);
  const std::map<std::string, Names> links = Links(lists);
  const std::regex include(R"re(#include "([\w/]+/\w+\.h)")re");
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Compiler())) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string library = LibraryOfFile(entry.path(), lists);
    Names allowed;
    Close(library, links, allowed);
    for (const std::string& used : Matches(ReadFile(entry.path()), include)) {
      const std::string owner = LibraryOfFile(Compiler() / used, lists);
      if (owner.empty()) continue;
      INFO(entry.path().string() << " includes " << used);
      CHECK(allowed.count(owner) == 1);
      ++checked;
    }
  }
  CHECK(checked > 1000);
}

TEST_CASE("printers of targets know nothing of plans and graphs") {
  const std::regex include(R"re(#include "(\w+)/[\w/]+\.h")re");
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Compiler() / "codegen")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    for (const std::string& folder : Matches(ReadFile(entry.path()), include)) {
      INFO(entry.path().string() << " includes headers of " << folder);
      CHECK((folder == "codegen" || folder == "kernel" || folder == "support"));
      ++checked;
    }
  }
  CHECK(checked > 30);
}

TEST_CASE("folders embed only files that they may include, and the runtime's") {
  const std::map<std::string, fs::path> lists = Lists();
  const std::map<std::string, Names> links = Links(lists);
  const std::regex groups(R"re(ROOT "([^"]*)"\s+FILES\s+([^)]*?)(?=ROOT|\)))re");
  const std::string own = "${CMAKE_CURRENT_SOURCE_DIR}";
  const std::string compiler = "${PROJECT_SOURCE_DIR}/compiler";
  int checked = 0;
  for (const auto& [library, list] : lists) {
    Names allowed;
    Close(library, links, allowed);
    const std::string text = ReadFile(list);
    for (std::sregex_iterator at(text.begin(), text.end(), groups), end; at != end; ++at) {
      const std::string root = (*at)[1].str();
      INFO(list.string() << " embeds files of " << root);
      CHECK((root == own || root == compiler || root == "${PROJECT_SOURCE_DIR}/runtime/include"));
      std::istringstream files((*at)[2].str());
      for (std::string file; files >> file;) {
        ++checked;
        if (root != compiler) continue;
        const fs::path path = Compiler() / file;
        const bool below = path.string().rfind(list.parent_path().string(), 0) == 0;
        INFO(file);
        CHECK(fs::exists(path));
        CHECK((below || allowed.count(LibraryOfFile(path, lists)) == 1));
      }
    }
  }
  CHECK(checked > 30);
}

TEST_CASE("no circle between folders") {
  const std::map<std::string, Names> links = Links(Lists());
  for (const auto& [library, direct] : links) {
    for (const std::string& linked : direct) {
      if (linked == library) continue;
      Names closed;
      Close(linked, links, closed);
      INFO(library << " and " << linked << " link each other");
      CHECK(closed.count(library) == 0);
    }
  }
}

TEST_CASE("behind the front ends nothing knows the syntax") {
  const std::regex syntax(
      R"re(#include "(ast/\w+\.h|sema/\w+\.h|frontend/parse\.h)"|\b(ast::\w+))re");
  const std::set<std::string> before = {"ast", "sema", "frontend", "scop"};
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Compiler())) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    const fs::path path = fs::relative(entry.path(), Compiler());
    if (before.count(path.begin()->string()) > 0) continue;
    INFO(path.string());
    CHECK(Matches(ReadFile(entry.path()), syntax).empty());
    ++checked;
  }
  CHECK(checked > 300);
}

TEST_CASE("the pipeline alone runs passes over graphs, and makes plans of candidates") {
  const std::regex runs(
      R"re(\b(EliminateDead|SimplifyBoundaries|FoldScale|MergeTerms|UseReciprocals|UnrollTime|SplitKernels|)re"
      R"re(PlanKernels|PlanFused|ChooseNests|ChoosePlan|SplitWhereSpilling)\((?!const |graph::Graph |)re"
      R"re(plan::Plan plan,|ChosenPlan chosen,))re");
  const std::set<std::string> own = {"passes", "plan", "lower"};
  std::set<std::string> runners;
  for (const auto& entry : fs::recursive_directory_iterator(Compiler())) {
    if (entry.path().extension() != ".cpp") continue;
    const fs::path path = fs::relative(entry.path(), Compiler());
    if (own.count(path.begin()->string()) > 0) continue;
    if (!Matches(ReadFile(entry.path()), runs).empty()) runners.insert(path.generic_string());
  }
  // Segments of a program for ranks leave behind what is not theirs.
  CHECK(runners == Names{"distribute/local_graph.cpp", "driver/pipeline.cpp"});
}
