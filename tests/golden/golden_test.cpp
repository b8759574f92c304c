// One golden file a case: the folder names the stage, the file holds the program, optionally a line
// `// options: NAME=VALUE ...` (fixed parameters) and a line `// schedule: ...` (as in
// support/schedule_text.h), a line `// ----`, and the expected text. STENCILGEN_UPDATE_GOLDEN=1
// rewrites the expectations; with CI set it is refused. Cases of the folders embedded, passes, cuda
// and cpp may have a line `// command: ...` with options of the command line.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "distribute/distribute.h"
#include "distribute/print.h"
#include "driver/embed.h"
#include "driver/pipeline.h"
#include "frontend/read_program.h"
#include "graph/print.h"
#include "support/catch.h"
#include "support/schedule_text.h"

namespace {

namespace fs = std::filesystem;
using stencilgen::DiagnosticSink;
using stencilgen::SourceFile;

const fs::path kGoldenRoot = fs::path(STENCILGEN_SOURCE_DIR) / "tests" / "golden";
constexpr const char* kSeparator = "// ----\n";

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Case {
  std::string program;
  std::string expected;
  stencilgen::driver::PipelineOptions options;
  std::vector<std::string> words;  ///< of the command line of embedded cases
};

Case ReadCase(const fs::path& path) {
  const std::string text = ReadFile(path);
  const std::size_t at = text.find(kSeparator);
  Case c;
  c.program = text.substr(0, at);
  if (at != std::string::npos) c.expected = text.substr(at + std::string(kSeparator).size());
  std::smatch match;
  if (std::regex_search(c.program, match, std::regex("// options:([^\n]*)"))) {
    std::istringstream words(match[1].str());
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      c.options.fixed[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
    }
  }
  if (std::regex_search(c.program, match, std::regex("// command:([^\n]*)"))) {
    std::istringstream words(match[1].str());
    for (std::string word; words >> word;) c.words.push_back(word);
  }
  if (std::regex_search(c.program, match, std::regex("// schedule:([^\n]*)"))) {
    const auto timed = stencilgen::testing::ReadSchedule(match[1].str());
    REQUIRE(timed);
    c.options.schedule = timed->schedule;
    if (timed->split > 0) c.options.split = {timed->split, timed->crossing};
    c.options.time_tile = timed->time_tile;
    c.options.codegen.reorder.how = timed->reorder;
    c.options.unroll_given = {true, true, true};
  }
  c.options.verify = true;
  return c;
}

std::string Diagnostics(const SourceFile& source, const DiagnosticSink& sink) {
  return stencilgen::RenderText(source, sink.diagnostics(), 0, false);
}

std::string RunEmbedded(const fs::path& path, const Case& c);

/// The options of the case's command line.
stencilgen::driver::PipelineOptions CommandOptions(const SourceFile& source, const Case& c,
                                                   const stencilgen::graph::Program& program) {
  std::vector<std::string> arguments = {source.name()};
  arguments.insert(arguments.end(), c.words.begin(), c.words.end());
  const auto parsed = stencilgen::driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<stencilgen::driver::Options>(parsed));
  const auto& options = std::get<stencilgen::driver::Options>(parsed);
  REQUIRE_FALSE(stencilgen::driver::CheckAgainstProgram(options, program.interface));
  return stencilgen::driver::MakePipelineOptions(options, program.interface);
}

/// The graph, and what each pass makes of it where that is another.
std::string RunPasses(const SourceFile& source, const Case& c) {
  DiagnosticSink sink;
  const auto program = stencilgen::ReadProgram(source, sink);
  REQUIRE(program);
  auto options = CommandOptions(source, c, *program);
  std::string text;
  std::string last;
  options.observe = [&](std::string_view pass, const stencilgen::graph::Graph& graph) {
    std::string printed = stencilgen::graph::Print(graph);
    if (printed == last) return;
    text += fmt::format("{}after {}:\n{}", text.empty() ? "" : "\n", pass, printed);
    last = std::move(printed);
  };
  auto graph = stencilgen::driver::CompileToGraph(*program, options, sink);
  REQUIRE(graph);
  stencilgen::driver::CompileToPlan(*std::move(graph), options);
  return text;
}

/// What is in the namespace of a program's file: kernels, and the steps of the host.
std::string NamespaceOf(const std::string& file) {
  const std::size_t begin = file.find("using namespace stencilgen;\n");
  const std::size_t end = file.find("\n}  // namespace ");
  REQUIRE((begin != std::string::npos && end != std::string::npos));
  return file.substr(begin, end + 1 - begin);
}

/// The file that is written; its namespace where the case does not say that it shows the file.
std::string RunCode(stencilgen::driver::Target target, const SourceFile& source, const Case& c) {
  DiagnosticSink sink;
  const auto program = stencilgen::ReadProgram(source, sink);
  REQUIRE(program);
  auto options = CommandOptions(source, c, *program);
  options.target = target;
  options.codegen.standalone = false;
  auto graph = stencilgen::driver::CompileToGraph(*program, options, sink);
  REQUIRE(graph);
  auto plan = stencilgen::driver::CompileToPlan(*std::move(graph), options);
  const std::string file = stencilgen::driver::EmitCode(std::move(plan), source, options).text;
  return c.program.find("The whole file.") == std::string::npos ? NamespaceOf(file) : file;
}

/// The program for ranks, two turns of a loop between exchanges, or why there is none.
std::string RunRanks(const SourceFile& source, const Case& c) {
  DiagnosticSink sink;
  const auto graph = stencilgen::driver::CompileToGraph(source, c.options, sink);
  const auto program = graph ? stencilgen::distribute::Distribute(*graph, {2}, sink) : std::nullopt;
  return program ? stencilgen::distribute::Print(*program) : Diagnostics(source, sink);
}

std::string RunStage(const std::string& stage, const fs::path& path, const Case& c) {
  const SourceFile source(path.filename().string(), c.program);
  DiagnosticSink sink;
  if (stage == "embedded") return RunEmbedded(path, c);
  if (stage == "ranks") return RunRanks(source, c);
  if (stage == "passes") return RunPasses(source, c);
  if (stage == "cuda") return RunCode(stencilgen::driver::Target::Cuda, source, c);
  if (stage == "cpp") return RunCode(stencilgen::driver::Target::Cpp, source, c);
  using stencilgen::driver::Stage;
  static const std::map<std::string, Stage> kTaps = {
      {"ast", Stage::Ast},       {"diagnostics", Stage::Graph},  {"graph", Stage::Graph},
      {"dot", Stage::Dot},       {"fused", Stage::Fused},        {"plan", Stage::Plan},
      {"kernel", Stage::Kernel}, {"interface", Stage::Interface}};
  REQUIRE(kTaps.count(stage) == 1);
  const auto program = stencilgen::ReadProgram(source, sink);
  const auto lowered =
      program ? stencilgen::driver::Lower(*program, source, c.options, kTaps.at(stage), sink)
              : std::nullopt;
  if (stage == "diagnostics" || !lowered) return Diagnostics(source, sink);
  REQUIRE(lowered->printed);
  return *lowered->printed;
}

/// A C++ file with `#pragma dsl` blocks: what is said about it, and where there are no errors what
/// becomes of it behind the definitions.
std::string RunEmbedded(const fs::path& path, const Case& c) {
  const SourceFile source(path.filename().string(), c.program);
  std::vector<std::string> arguments = {source.name(), "-o", "out"};
  arguments.insert(arguments.end(), c.words.begin(), c.words.end());
  const auto options = stencilgen::driver::ParseCommandLine(arguments);
  REQUIRE(std::holds_alternative<stencilgen::driver::Options>(options));
  DiagnosticSink sink;
  const auto result =
      stencilgen::driver::EmbedBlocks(source, std::get<stencilgen::driver::Options>(options), sink);
  CHECK(result.has_value() == !sink.HasErrors());
  std::string text = Diagnostics(source, sink);
  if (!result) return text;
  REQUIRE_FALSE(result->usage_error);
  const std::string& written = result->outputs.front().text;
  const std::size_t line = written.find("#line 1 ");
  return text + written.substr(line == std::string::npos ? 0 : line);
}

std::vector<fs::path> CasesOf(const fs::path& folder) {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".idsl" || extension == ".cpp") cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

void CheckFolder(const std::string& stage) {
  const bool update = std::getenv("STENCILGEN_UPDATE_GOLDEN") != nullptr;
  REQUIRE_FALSE((update && std::getenv("CI") != nullptr));
  const std::vector<fs::path> cases = CasesOf(kGoldenRoot / stage);
  REQUIRE_FALSE(cases.empty());
  for (const fs::path& path : cases) {
    DYNAMIC_SECTION(stage << "/" << path.stem().string()) {
      const Case c = ReadCase(path);
      const std::string actual = RunStage(stage, path, c);
      if (update && actual != c.expected) {
        std::ofstream(path, std::ios::binary) << c.program << kSeparator << actual;
      } else {
        CHECK(actual == c.expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("golden: passes") {
  CheckFolder("passes");
}
TEST_CASE("golden: cuda") {
  CheckFolder("cuda");
}
TEST_CASE("golden: cpp") {
  CheckFolder("cpp");
}
TEST_CASE("golden: ast") {
  CheckFolder("ast");
}
TEST_CASE("golden: diagnostics") {
  CheckFolder("diagnostics");
}
TEST_CASE("golden: embedded") {
  CheckFolder("embedded");
}
TEST_CASE("golden: interface") {
  CheckFolder("interface");
}
TEST_CASE("golden: graph") {
  CheckFolder("graph");
}
TEST_CASE("golden: fused") {
  CheckFolder("fused");
}
TEST_CASE("golden: dot") {
  CheckFolder("dot");
}
TEST_CASE("golden: kernel") {
  CheckFolder("kernel");
}
TEST_CASE("golden: ranks") {
  CheckFolder("ranks");
}
TEST_CASE("golden: plan") {
  CheckFolder("plan");
}

TEST_CASE("every diagnostic id has a golden case") {
  std::set<std::string> declared;
  const std::regex declaration(R"re(DiagnosticKind<[^;]*?\{\s*"([a-z-]+)")re");
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(STENCILGEN_SOURCE_DIR) / "compiler")) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    const std::string text = ReadFile(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
      declared.insert((*at)[1].str());
    }
  }
  REQUIRE(declared.size() > 30);
  declared.erase("file-too-large");    // its case would be a file of a gigabyte
  declared.erase("wrong-encoding");    // its case would be no text
  declared.erase("scop-unavailable");  // of a build without what reads C
  declared.erase("invalid-graph");     // of graph::Builder, for programs that are no text
  std::set<std::string> shown;
  const std::regex use(R"re(\[([a-z-]+)\])re");
  std::vector<fs::path> cases = CasesOf(kGoldenRoot / "diagnostics");
  for (const char* more : {"embedded", "ranks"}) {
    for (const fs::path& path : CasesOf(kGoldenRoot / more)) cases.push_back(path);
  }
  const auto show = [&](const std::string& text) {
    for (std::sregex_iterator at(text.begin(), text.end(), use), end; at != end; ++at) {
      shown.insert((*at)[1].str());
    }
  };
  for (const fs::path& path : cases) show(ReadCase(path).expected);
  // Programs that come from C are checked where they are run, with what reads C.
  show(ReadFile(fs::path(STENCILGEN_SOURCE_DIR) / "tests/exec/scop_errors_test.cpp"));
  for (const auto& entry : fs::directory_iterator(kGoldenRoot / "scop")) {
    show(ReadFile(entry.path()));
  }
  for (const std::string& id : declared) {
    INFO("no case in tests/golden/diagnostics, embedded, ranks or scop shows " << id);
    CHECK(shown.count(id) == 1);
  }
}
