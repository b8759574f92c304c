// The code that ours is compared with computes the same.
#include "baseline/plain_code.h"

#include <string>

#include "driver/files.h"
#include "suite/measure.h"
#include "suite/programs.h"
#include "suite/versions.h"
#include "support/catch.h"

using namespace stencilgen;
using namespace stencilgen::suite;

namespace {

/// What differs from the interpreter, at the benchmark's small sizes.
std::string CheckPlain(const testing::Benchmark& benchmark, driver::Target target, bool single) {
  const Program program = MakeProgram(benchmark, single, {});
  Versions versions = MakeVersions(program, target);
  REQUIRE(versions.problem.empty());
  versions.all.resize(1);
  REQUIRE(versions.all[0].name == "plain");
  INFO(versions.all[0].text);
  REQUIRE(versions.all[0].problem.empty());
  const driver::TemporaryDirectory directory;
  Build(&versions,
        target == driver::Target::Cpp ? driver::Backend::Cpp : driver::Backend::CudaEmulated,
        directory.path(), 0);
  REQUIRE(versions.all[0].problem.empty());
  return CheckVersion(versions.all[0], versions, program);
}

}  // namespace

TEST_CASE("plain code computes what the program says") {
  // In place, exchanged with another array, with a local array, several statements, wrapped reads,
  // other strides, conditions on coordinates.
  for (const char* name :
       {"j2d5pt", "cheby", "denoise", "swim", "fdtd2d", "vcycle-restriction", "acoustic"}) {
    testing::Benchmark benchmark = testing::BenchmarkNamed(name);
    for (const int steps : {2, 3}) {
      if (benchmark.small.count("T") > 0) {
        benchmark.small["T"] = steps;
      } else if (steps > 2) {
        continue;
      }
      DYNAMIC_SECTION(name << " steps " << steps) {
        CHECK(CheckPlain(benchmark, driver::Target::Cpp, steps == 3) == "");
      }
    }
  }
}

TEST_CASE("plain kernels compute what the program says") {
  for (const char* name : {"j2d5pt", "swim", "unsharp"}) {
    DYNAMIC_SECTION(name) {
      CHECK(CheckPlain(testing::BenchmarkNamed(name), driver::Target::Cuda, false) == "");
    }
  }
}

TEST_CASE("programs with reductions have no plain code") {
  const Program program = MakeProgram(testing::BenchmarkNamed("clover2d-step"), false, {});
  for (const driver::Target target : {driver::Target::Cpp, driver::Target::Cuda}) {
    const Versions versions = MakeVersions(program, target);
    REQUIRE(versions.all[0].name == "plain");
    CHECK(versions.all[0].problem == "plain code has no reductions");
    CHECK(versions.all[0].text.empty());
  }
}

TEST_CASE("single elements are computed once by plain kernels") {
  testing::Benchmark benchmark = testing::BenchmarkNamed("j2d5pt");
  benchmark.name = "corner";
  benchmark.text =
      "parameter M=9, N=11;\niterator j, i;\ndouble u[M,N], v[M,N];\ncopyin u, v;\n"
      "stencil s (v, u) {\n  v[j][i] = u[j][i-1] + u[j][i+1];\n  v[0][0] = v[0][0] + u[2][3];\n}\n"
      "s (v, u);\ncopyout v;\n";
  benchmark.small = {{"M", 9}, {"N", 11}};
  benchmark.full = benchmark.small;
  CHECK(CheckPlain(benchmark, driver::Target::Cuda, false) == "");
}

TEST_CASE("a version that computes something else is found") {
  const testing::Benchmark benchmark = testing::BenchmarkNamed("j2d5pt");
  const Program program = MakeProgram(benchmark, false, {});
  Versions versions = MakeVersions(program, driver::Target::Cpp);
  versions.all.resize(1);
  std::string& text = versions.all[0].text;
  const std::size_t at = text.find("15.0 * u");
  REQUIRE(at != std::string::npos);
  text.replace(at, 4, "15.1");
  const driver::TemporaryDirectory directory;
  Build(&versions, driver::Backend::Cpp, directory.path(), 0);
  CHECK(CheckVersion(versions.all[0], versions, program).find("relative RMS error") !=
        std::string::npos);
}

TEST_CASE("sizes shrink from the longest extent on") {
  const testing::Benchmark flat = testing::BenchmarkNamed("j2d5pt");
  CHECK(SizesWithin(flat, false, 1e12) ==
        std::map<std::string, std::int64_t>{{"M", 8192}, {"N", 8192}});
  CHECK(SizesWithin(flat, false, 16.0 * 4096 * 8192) ==
        std::map<std::string, std::int64_t>{{"M", 4096}, {"N", 8192}});
  const Program program = MakeProgram(flat, true, {{"M", 100}, {"N", 200}});
  CHECK(program.text.find("parameter M=100, N=200, T=4;") != std::string::npos);
  CHECK(program.Points() == 20000);
  CHECK(program.Bytes() == 160000);
  CHECK(program.Flops() == 200000);
}
