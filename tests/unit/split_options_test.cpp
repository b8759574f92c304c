#include "driver/choose_schedule.h"
#include "driver/explain.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/suite.h"

namespace stencilgen::driver {
namespace {

std::variant<Options, UsageError> ParseOptions(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "p.idsl");
  return ParseCommandLine(arguments);
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  const auto parsed = ParseOptions(arguments);
  const auto* error = std::get_if<UsageError>(&parsed);
  return error == nullptr ? "" : error->message;
}

ChosenPlan Choose(const std::string& text, int parts) {
  const SourceFile source("p.idsl", text);
  DiagnosticSink sink;
  PipelineOptions options;
  options.choose = true;
  options.split = SplitOptions{parts, passes::Crossing::Cheaper};
  auto graph = CompileToGraph(source, options, sink);
  REQUIRE(graph);
  return CompileToChosenPlan(*std::move(graph), options);
}

std::string TextOf(const std::string& name) {
  return testing::BenchmarkNamed(name).text;
}

}  // namespace

TEST_CASE("--split takes a number of kernels or auto") {
  CHECK(std::get<Options>(ParseOptions({"--split", "3"})).split == 3);
  CHECK(std::get<Options>(ParseOptions({"--split", "auto"})).split == 0);
  CHECK(ErrorOf({"--split", "0"}) != "");
  CHECK(ErrorOf({"--split", "65"}) != "");
  CHECK(ErrorOf({"--split", "max"}) != "");
  const auto wrong = ParseOptions({"--split", "x"});
  CHECK(std::get<UsageError>(wrong).hint == "a number from 1 to 64, or auto");
}

TEST_CASE("--split excludes what it contradicts") {
  for (const char* fusion : {"none", "max", "greedy"}) {
    CHECK(ErrorOf({"--split", "2", "--fusion", fusion}) ==
          "--split cuts what --fusion puts together");
  }
  CHECK(ErrorOf({"--split", "2", "--fusion-objective", "registers"}) ==
        "--split cuts what --fusion-objective puts together");
  CHECK(ErrorOf({"--split", "2", "--shared-mem", "false"}).find("--shared-mem is false") !=
        std::string::npos);
  CHECK(ErrorOf({"--split", "2", "--target", "cpp"}) ==
        "--split is about CUDA code, but the target is cpp");
  CHECK(ErrorOf({"--split", "2", "--time-tile", "2"}).empty());
}

TEST_CASE("--split makes as many kernels as it says, and --explain says of what") {
  const ChosenPlan chosen = Choose(TextOf("rhs4center"), 3);
  CHECK(chosen.plan.kernels.size() == 3);
  CHECK(chosen.notes.empty());
  const std::string text = Explain(chosen);
  CHECK(text.find("rhs4center is split into 3 parts, of ") != std::string::npos);
  CHECK((text.find("computed in each part: ") != std::string::npos ||
         text.find("stored by the part that computes it: ") != std::string::npos));
}

TEST_CASE("a statement that is too short to be cut is noted") {
  const ChosenPlan chosen = Choose(TextOf("j2d5pt"), 4);
  REQUIRE(chosen.notes.size() == 1);
  CHECK(chosen.notes[0] == "--split 4: j2d5pt has 1 statement of 9 flops: 1 part at most");
}

TEST_CASE("--split auto is no slower than any number of parts that it tries") {
  for (const char* name : {"rhs4center", "diffterm"}) {
    const double best = Choose(TextOf(name), 0).chosen.seconds;
    for (const int parts : {1, 2, 3}) {
      INFO(name << " in " << parts);
      // About equal ones count as equal.
      CHECK(best <= 1.03 * Choose(TextOf(name), parts).chosen.seconds);
    }
  }
}

}  // namespace stencilgen::driver
