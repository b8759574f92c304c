// Programs of several statements in several kernels (--split), as code that is executed, against
// the interpreter, at awkward sizes.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/catch.h"
#include "support/differential.h"
#include "support/schedule_text.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

TestProgram ProgramOf(const std::string& name) {
  const Benchmark benchmark = BenchmarkNamed(name);
  TestProgram program;
  program.name = benchmark.Identifier();
  program.text = benchmark.text;
  program.lowest_input = benchmark.lowest_input;
  return program;
}

/// The program in so many parts: each rule for what crosses, each with its own schedule.
std::vector<TestProgram> Split(const TestProgram& program,
                               const std::vector<std::map<std::string, std::int64_t>>& sizes,
                               const std::vector<int>& parts) {
  static const std::vector<std::string> kSchedules = {
      "block=16,10,1 stream=0:0 shared=yes crossing=recompute",
      "block=16,9,1 unroll=1,2,1 stream=0:5 shared=yes crossing=store barriers=step",
      "block=12,10,3 shared=yes crossing=cheaper",
  };
  std::vector<TestProgram> programs;
  for (const int n : parts) {
    for (const std::string& text : kSchedules) {
      auto timed = ReadSchedule(text);
      REQUIRE(timed);
      timed->split = n;
      TestProgram split = program;
      split.name += fmt::format("_{}", programs.size());
      split.sizes = sizes;
      SetSchedule(&split, *timed);
      programs.push_back(std::move(split));
    }
  }
  return programs;
}

void CheckAgree(const std::vector<TestProgram>& programs) {
  const std::string failures = FindStrictFailures(programs, true);
  INFO(failures);
  CHECK(failures.empty());
}

}  // namespace

TEST_CASE("rhs4center in parts is exact: lets cross, and statements are cut") {
  CheckAgree(Split(ProgramOf("rhs4center"),
                   {{{"L", 7}, {"M", 11}, {"N", 17}}, {{"L", 5}, {"M", 5}, {"N", 33}}}, {2, 3, 5}));
}

TEST_CASE("diffterm in parts is exact: results are read at their own point, or around it") {
  CheckAgree(Split(ProgramOf("diffterm"),
                   {{{"L", 17}, {"M", 19}, {"N", 23}}, {{"L", 9}, {"M", 31}, {"N", 17}}}, {2, 13}));
}

TEST_CASE("hypterm in parts is exact: accumulations stay together or do not") {
  CheckAgree(Split(ProgramOf("hypterm"),
                   {{{"L", 11}, {"M", 13}, {"N", 29}}, {{"L", 9}, {"M", 9}, {"N", 9}}}, {5, 7}));
}

}  // namespace stencilgen::testing
