// Runs random programs without end (or --count of them) through every path of the compiler; the
// first failure of each batch is shrunk and saved.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "shrink.h"
#include "support/differential.h"
#include "support/program_generator.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

struct FuzzOptions {
  std::uint64_t start = 1;
  std::uint64_t count = 0;
  std::uint64_t batch = 25;
  int size = 4;
  bool keep_going = false;
  bool shrink = true;
  std::string save;
  std::string only;
};

/// The kind of a failure: its message up to the numbers that shrinking changes.
std::string Kind(const std::string& message) {
  return message.substr(0, message.find_first_of(":,"));
}

void Report(const Failure& failure, const TestProgram& program, const FuzzOptions& fuzz,
            const DifferentialOptions& options) {
  fmt::print("FAILURE in {}\n{}\n", failure.program, failure.message);
  std::fflush(stdout);
  if (!fuzz.shrink) return;
  fmt::print("shrinking...\n");
  std::fflush(stdout);
  const std::string kind = Kind(failure.message);
  DifferentialOptions narrow = options;
  narrow.only = kind;  // a variant's name, or that of a stage before all of them
  const TestProgram small = Shrink(program, [&](const TestProgram& candidate) {
    const auto failures = RunDifferential({candidate}, narrow);
    return !failures.empty() && Kind(failures.front().message) == kind;
  });
  const auto again = RunDifferential({small}, narrow);
  std::filesystem::create_directories(fuzz.save);
  const auto path = std::filesystem::path(fuzz.save) / fmt::format("{}.idsl", small.name);
  std::ofstream(path) << ToFileText(small);
  fmt::print("{}saved as {}\n", Describe(again), path.string());
  std::fflush(stdout);
}

int Fuzz(const FuzzOptions& fuzz) {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  bool failed = false;
  std::uint64_t done = 0;
  while (fuzz.count == 0 || done < fuzz.count) {
    const std::uint64_t first = fuzz.start + done;
    const std::uint64_t size =
        fuzz.count == 0 ? fuzz.batch : std::min(fuzz.batch, fuzz.count - done);
    std::vector<TestProgram> programs;
    for (std::uint64_t n = 0; n < size; ++n) {
      programs.push_back(GenerateProgram(first + n, {fuzz.size}));
    }
    options.input_seed = first;
    options.only = fuzz.only;
    const std::vector<Failure> failures = RunDifferential(programs, options);
    for (const Failure& failure : failures) {
      const auto program = std::find_if(
          programs.begin(), programs.end(),
          [&](const TestProgram& candidate) { return candidate.name == failure.program; });
      Report(failure, *program, fuzz, options);
      failed = true;
      if (!fuzz.keep_going) return 1;
    }
    done += size;
    fmt::print("seeds {} to {}: {}\n", first, first + size - 1,
               failures.empty() ? "all agree" : fmt::format("{} failed", failures.size()));
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace stencilgen::testing

int main(int argc, char** argv) {
  stencilgen::testing::FuzzOptions fuzz;
  fuzz.save = STENCILGEN_SOURCE_DIR "/tests/golden/fuzz_failures";
  CLI::App app("Random programs through every path of the compiler, until one fails.");
  app.add_option("--start", fuzz.start, "first seed")->capture_default_str();
  app.add_option("--count", fuzz.count, "how many programs; 0: without end")->capture_default_str();
  app.add_option("--batch", fuzz.batch, "programs compiled together")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--size", fuzz.size, "about how many calls a program has")->capture_default_str();
  app.add_option("--save", fuzz.save, "folder for shrunk failures")->capture_default_str();
  app.add_option("--only", fuzz.only, "cpp-strict, cpp-fast, cuda-strict or cuda-fast alone");
  app.add_flag("--keep-going", fuzz.keep_going, "do not stop at the first failure");
  app.add_flag("!--no-shrink", fuzz.shrink, "only report failures");
  CLI11_PARSE(app, argc, argv);
  return stencilgen::testing::Fuzz(fuzz);
}
