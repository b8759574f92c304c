// Every example with every schedule of the matrix, at awkward sizes and in all thread orders of the
// emulator, bit for bit.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/schedule_matrix.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

using Sizes = std::vector<std::map<std::string, std::int64_t>>;

/// One wide, smaller than the stencil, primes, one more and one less than blocks. The steps leave
/// remainders for every time tile.
Sizes AwkwardSizesOf(const TestProgram& example) {
  if (HasSeveralGrids(example)) return example.sizes;
  const auto& names = example.sizes.front();
  if (names.count("M") == 0) {
    return {
        {{"N", 1}, {"T", 3}}, {{"N", 2}, {"T", 1}}, {{"N", 17}, {"T", 5}}, {{"N", 97}, {"T", 7}}};
  }
  if (names.count("L") > 0) {
    return {{{"L", 1}, {"M", 2}, {"N", 1}, {"T", 2}},
            {{"L", 7}, {"M", 11}, {"N", 17}, {"T", 5}},
            {{"L", 5}, {"M", 3}, {"N", 31}, {"T", 3}}};
  }
  return {{{"M", 1}, {"N", 1}, {"T", 3}},
          {{"M", 2}, {"N", 37}, {"T", 5}},
          {{"M", 23}, {"N", 3}, {"T", 2}},
          {{"M", 13}, {"N", 33}, {"T", 7}}};
}

std::vector<TestProgram> AllPrograms() {
  return WithSchedules(Examples(), ScheduleMatrix(), AwkwardSizesOf);
}

TEST_CASE("examples with every schedule are exact as code") {
  const std::string failures = FindStrictFailures(AllPrograms(), true);
  INFO(failures);
  CHECK(failures.empty());
}

// The number of schedules and this one have no factor in common: examples get different ones.
TEST_CASE("examples with some schedules are exact as printed and compiled", "[more]") {
  const std::vector<TestProgram> all = AllPrograms();
  constexpr std::size_t kEach = 7;
  std::vector<TestProgram> some;
  for (std::size_t n = 0; n < all.size(); n += kEach) some.push_back(all[n]);
  const std::string failures = FindStrictFailures(some);
  INFO(failures);
  CHECK(failures.empty());
}

TEST_CASE("each schedule that may makes tiles of the examples that can have them") {
  const std::set<std::string> stars = {"heat3d", "j2d5pt", "j2d5pt_two_steps", "wave2d"};
  for (const TestProgram& example : Examples()) {
    if (stars.count(example.name) == 0) continue;
    for (const TestProgram& program : WithSchedules({example}, ScheduleMatrix(), AwkwardSizesOf)) {
      const SourceFile source(program.name, program.text);
      const driver::PipelineOptions options = OptionsOf(program);
      DiagnosticSink sink;
      auto graph = driver::CompileToGraph(source, options, sink);
      REQUIRE(graph);
      const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
      bool tiled = false;
      for (const plan::Kernel& kernel : plan.kernels) tiled = tiled || kernel.tile.has_value();
      INFO(program.name);
      CHECK(tiled == program.schedule.shared_memory);
    }
  }
}

}  // namespace
}  // namespace stencilgen::testing
