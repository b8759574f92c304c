#include "support/differential.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "shrink.h"
#include "support/catch.h"
#include "support/prng.h"
#include "support/program_generator.h"
#include "support/schedule_generator.h"
#include "support/schedule_text.h"
#include "support/temporary_directory.h"

namespace {

using namespace stencilgen::testing;

/// What each case runs of the sequence of seeds; big batches, since most of the time goes into
/// compiling.
void RunSeeds(std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t kBatch = 50;
  const TemporaryDirectory directory;
  for (std::uint64_t start = first; start < first + count; start += kBatch) {
    std::vector<TestProgram> programs;
    for (std::uint64_t seed = start; seed < std::min(start + kBatch, first + count); ++seed) {
      programs.push_back(GenerateProgram(seed));
    }
    DifferentialOptions options;
    options.directory = directory.path();
    options.input_seed = start;
    // Small arrays are larger than small caches; short vectors fit them more often.
    options.flags = {start / kBatch % 3 == 0 ? "-DSTENCILGEN_CACHE_BYTES=1"
                                             : "-DSTENCILGEN_CACHE_BYTES=8192"};
    // Loops whose arrays a core's cache does not hold run in tiles of several turns.
    if (start / kBatch % 3 != 1) options.flags.emplace_back("-DSTENCILGEN_CORE_CACHE_BYTES=512");
    if (start / kBatch % 2 == 0) options.flags.emplace_back("-DSTENCILGEN_VECTOR_BYTES=16");
    options.wavefronts = start / kBatch % 3 == 1;
    const bool graphs = start / kBatch % 2 == 1;
    options.graphs = graphs ? stencilgen::plan::GraphUse::Always : stencilgen::plan::GraphUse::Auto;
    const std::string failures = Describe(RunDifferential(programs, options));
    INFO(failures);
    CHECK(failures.empty());
  }
}

}  // namespace

TEST_CASE("random programs, first half", "[first]") {
  RunSeeds(1, 100);
}
TEST_CASE("random programs, second half", "[second]") {
  RunSeeds(101, 100);
}

TEST_CASE("programs that failed once", "[first]") {
  const std::filesystem::path folder =
      std::filesystem::path(STENCILGEN_SOURCE_DIR) / "tests" / "golden" / "fuzz_failures";
  std::vector<TestProgram> programs;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".idsl") continue;
      const auto program = ReadTestProgram(entry.path());
      REQUIRE(program);
      programs.push_back(*program);
    }
  }
  std::sort(programs.begin(), programs.end(),
            [](const TestProgram& a, const TestProgram& b) { return a.name < b.name; });
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(failures);
  CHECK(failures.empty());
}

TEST_CASE("a program as a file reads back the same", "[first]") {
  const TestProgram program = GenerateProgram(12);
  const TemporaryDirectory directory;
  const auto path = directory.path() / "p12.idsl";
  std::ofstream(path) << ToFileText(program);
  const auto again = ReadTestProgram(path);
  REQUIRE(again);
  CHECK(again->name == program.name);
  CHECK(again->text == program.text);
  CHECK(again->sizes == program.sizes);
  CHECK(ScheduleText(ScheduleOf(*again)) == ScheduleText(ScheduleOf(program)));
  CHECK(again->continuous == program.continuous);
}

TEST_CASE("a schedule reads back the same, and the older form is still read", "[first]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Prng prng(seed);
    const std::string text = ScheduleText(RandomSchedule(&prng, 3));
    const auto again = ReadSchedule(text);
    REQUIRE(again);
    CHECK(ScheduleText(*again) == text);
  }
  const auto old = ReadSchedule("33 3 1 3 1 2 1 5 4");
  REQUIRE(old);
  CHECK(old->schedule.block == std::array<int, 3>{33, 3, 1});
  CHECK(old->schedule.unroll == std::array<int, 3>{3, 1, 2});
  REQUIRE(old->schedule.stream);
  CHECK(old->schedule.stream->iterator == 1);
  CHECK(old->schedule.stream->chunk == 5);
  CHECK(old->time_tile == 4);
  CHECK_FALSE(old->schedule.shared_memory);
  const auto oldest = ReadSchedule("8 3 1 1 1 2");
  REQUIRE(oldest);
  CHECK(oldest->schedule.unroll == std::array<int, 3>{1, 1, 2});
  CHECK_FALSE(oldest->schedule.stream);
  const auto part = ReadSchedule("stream=0:3 shared=yes");
  REQUIRE(part);
  CHECK(part->schedule.block == stencilgen::plan::Schedule{}.block);
  CHECK(part->schedule.stream->chunk == 3);
  for (const char* wrong : {"block=1,2", "fusion=some", "sharing=yes", "stream=1", "a=b", "1 2"}) {
    CHECK_FALSE(ReadSchedule(wrong));
  }
}

TEST_CASE("the generator is the same everywhere", "[first]") {
  // The generator's own numbers: SplitMix64 from seed 0 begins with these three.
  Prng prng(0);
  CHECK(prng.Next() == 0xe220a8397b1dcdafULL);
  CHECK(prng.Next() == 0x6e789e6aa1b965f4ULL);
  CHECK(prng.Next() == 0x06c45d188009454fULL);
  CHECK(GenerateProgram(7).text == GenerateProgram(7).text);
  CHECK(GenerateProgram(7).text != GenerateProgram(8).text);
}

TEST_CASE("a wrong program is a failure", "[first]") {
  TestProgram program = GenerateProgram(3);
  program.text += "this is no statement;\n";
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  CHECK(RunDifferential({program}, options).size() == 1);
}

TEST_CASE("shrinking keeps what fails and drops the rest", "[first]") {
  TestProgram program = GenerateProgram(4);
  program.text += "sum = 1 + wanted - 3;\n";
  const auto keeps_it = [](const TestProgram& candidate) {
    return candidate.text.find("wanted") != std::string::npos;
  };
  const TestProgram small = Shrink(program, keeps_it);
  CHECK(small.text == "sum = 1 + wanted;\n");
  CHECK_FALSE(small.schedule.stream.has_value());
  CHECK(small.schedule.block == std::array<int, 3>{1, 1, 1});
  CHECK(small.time_tile == 1);
  REQUIRE(small.sizes.size() == 1);
  for (const auto& [name, value] : small.sizes.front()) CHECK(value == 1);
}
