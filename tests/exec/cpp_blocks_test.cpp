// The C++ target with several points a turn of its loops: plain loops bit for bit with --fp strict,
// vectors in a scheduler's order with --fp fast, at awkward sizes.
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "support/catch.h"
#include "support/differential.h"
#include "support/suite.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// Rows shorter than a vector, of a vector and one point more, and of several; fewer rows than a
/// block has, and no multiple of them.
std::vector<Sizes> AwkwardSizesOf(const TestProgram& program) {
  if (HasSeveralGrids(program)) return program.sizes;
  const Sizes& names = program.sizes.front();
  std::vector<Sizes> all = {
      {{"L", 9}, {"M", 10}, {"N", 13}, {"T", 3}},
      {{"L", 14}, {"M", 13}, {"N", 27}, {"T", 2}},
      {{"L", 11}, {"M", 17}, {"N", 61}, {"T", 2}},
      {{"L", 10}, {"M", 9}, {"N", 283}, {"T", 2}},  // cut where stores are aligned
  };
  if (names.count("M") == 0) all.push_back({{"N", 301}, {"T", 4}});
  for (Sizes& sizes : all) {
    for (auto at = sizes.begin(); at != sizes.end();) {
      at = names.count(at->first) == 0 ? sizes.erase(at) : std::next(at);
    }
    for (const auto& [name, value] : names) sizes.emplace(name, value);
  }
  return all;
}

/// Points along x (in vectors), y and z.
using Block = std::array<int, 3>;

void CheckAgree(std::vector<TestProgram> programs, const Block& block,
                const DifferentialOptions& wanted) {
  const TemporaryDirectory directory;
  for (TestProgram& program : programs) {
    program.schedule.unroll = block;
    program.sizes = AwkwardSizesOf(program);
  }
  DifferentialOptions options = wanted;
  options.directory = directory.path();
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(fmt::format("{}x{}x{} points\n{}", block[0], block[1], block[2], failures));
  CHECK(failures.empty());
}

TestProgram ProgramOf(const Benchmark& benchmark) {
  TestProgram program;
  program.name = benchmark.Identifier();
  program.text = benchmark.text;
  program.sizes = {benchmark.small};
  program.lowest_input = benchmark.lowest_input;
  return program;
}

std::vector<TestProgram> SuiteB() {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.suite == 'B') programs.push_back(ProgramOf(benchmark));
  }
  return programs;
}

DifferentialOptions Only(const std::string& variant, std::vector<std::string> flags) {
  DifferentialOptions options;
  options.only = variant;
  options.flags = std::move(flags);
  return options;
}

/// Strict code, executed as it is.
DifferentialOptions Executed() {
  DifferentialOptions options = Only("cpp-strict", {});
  options.execute = true;
  return options;
}

TEST_CASE("plain loops over blocks of points are exact") {
  for (const Block& block : {Block{2, 2, 3}, Block{1, 3, 1}, Block{1, 1, 4}}) {
    CheckAgree(Examples(), block, Executed());
  }
}

TEST_CASE("examples in vectors agree") {
  const std::vector<std::string> narrow = {"-DSTENCILGEN_VECTOR_BYTES=16"};
  CheckAgree(Examples(), {1, 1, 1}, Only("cpp-fast", {}));
  CheckAgree(Examples(), {3, 2, 1}, Only("cpp-fast", narrow));
  CheckAgree(Examples(), {1, 3, 2}, Only("cpp-fast", narrow));
  CheckAgree(Examples(), {2, 5, 1}, Only("cpp-fast", {"-DSTENCILGEN_NO_VECTORS"}));
}

/// Of the benchmarks those with several statements.
std::vector<TestProgram> Chains() {
  std::vector<TestProgram> programs;
  for (const Benchmark& benchmark : Benchmarks()) {
    const SourceFile source(benchmark.name, benchmark.text);
    DiagnosticSink sink;
    const auto graph = driver::CompileToGraph(source, {}, sink);
    if (graph && graph->nodes.size() > 1) programs.push_back(ProgramOf(benchmark));
  }
  return programs;
}

/// In one nest: values at a point that others of it read, before and after they are changed, that
/// are kept and that are not; lets with one value and with one name; boundary modes; rows that are
/// read along the other iterator; a loop that rotates.
const char* const kOnePoint = R"(
parameter M=5, N=7, T=3;
iterator j, i;
double a[M,N], b[M,N], u[M,N], v[M,N], w[M,N], row[N];
double s;
copyin a, b, u, v, row, s;
boundary a = wrap;
boundary b = mirror;
stencil point (u, v, w, a, b, row, s) {
  double half, mean, seen[M,N], kept[M,N];
  half = 0.5*s;
  mean = half*(a[j][i-1] + a[j][i+1]);
  seen[j][i] = mean + b[j-1][i];
  u[j][i] += mean*seen[j][i];
  kept[j][i] = u[j][i] - row[i];
  mean = half*(a[j-1][i] + a[j+1][i]);
  u[j][i] = u[j][i]*mean + kept[j][i];
  v[j][i] -= half*mean*(u[j][i] + seen[j][i]);
  w[j][i] = v[j][i] + kept[j][i]*b[j+1][i-2];
}
stencil apart (v, u, w, s) {
  v[j][i] = 0.25*(w[j-1][i] + w[j+1][i]) + s*u[j][i];
  u[j][i] = 0.5*v[j][i] + u[j][i];
}
iterate T {
  point (u, v, w, a, b, row, s);
  apart (v, u, w, s);
  swap u, v;
}
copyout u, v, w;
)";

TEST_CASE("statements that share their loops agree") {
  TestProgram point;
  point.name = "one_point";
  point.text = kOnePoint;
  point.sizes = {{{"M", 3}, {"N", 2}, {"T", 1}}, {{"M", 9}, {"N", 23}, {"T", 4}}};
  std::vector<TestProgram> programs = Chains();
  programs.push_back(point);
  for (TestProgram& program : programs) program.schedule.fusion = plan::Fusion::Max;
  CheckAgree(programs, {1, 1, 1}, Executed());
  DifferentialOptions tiled = Executed();
  tiled.tile = 3;
  CheckAgree(programs, {1, 3, 2}, tiled);
  for (TestProgram& program : programs) program.schedule.fusion = plan::Fusion::Greedy;
  CheckAgree(programs, {1, 1, 1}, Only("cpp-fast", {}));
}

/// Reads up to three points beyond both ends of a row, in each mode, also of an array that is
/// wider and of one that lies across.
const char* const kBeyondRows = R"(
parameter M=3, N=3, T=2;
iterator j, i;
double a[M,N], b[M,N], c[M,N], d[M,N], wide[M,N+2], across[N,M], u[M,N];
copyin a, b, c, d, wide, across, u;
boundary a = wrap;
boundary b = clamp;
boundary c = mirror;
boundary d = constant(0.25);
boundary wide = clamp;
boundary across = mirror;
boundary u = wrap;
stencil rows (u, a, b, c, d, wide, across) {
  u[j][i] = 0.1*u[j][i-1] + 0.2*u[j+1][i+2] + a[j-1][i-3]*b[j][i+3] + c[j][i-2]*d[j-1][i+1] +
            wide[j][i+4]*across[i-1][j] + (i > 0 ? d[j][i-1] : 0.5);
}
iterate T { rows (u, a, b, c, d, wide, across); }
copyout u;
)";
const char* const kBeyondALine = R"(
parameter N=3, T=2;
iterator i;
float u[N], v[N];
copyin u, v;
boundary u = wrap;
boundary v = mirror;
stencil line (u, v) { u[i] = 0.5*u[i-1] + 0.25*u[i+3]*v[i-2]; }
iterate T { line (u, v); }
copyout u;
)";

TEST_CASE("boundary modes hold at both ends of rows of any length") {
  TestProgram rows, line;
  rows.name = "rows";
  rows.text = kBeyondRows;
  line.name = "line";
  line.text = kBeyondALine;
  for (const std::int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 19, 40, 157}) {
    rows.sizes.push_back({{"M", length % 4 + 1}, {"N", length}, {"T", 2}});
    line.sizes.push_back({{"N", length}, {"T", 3}});
  }
  for (const int points : {1, 2}) {
    rows.schedule.unroll = {1, points, 1};
    for (const char* target : {"cpp-strict", "cpp-fast"}) {
      for (const int tile : {0, 3}) {
        const TemporaryDirectory directory;
        DifferentialOptions options = Only(target, {});
        options.directory = directory.path();
        options.tile = tile;
        const std::string failures = Describe(RunDifferential({rows, line}, options));
        INFO(fmt::format("{}, {} points, tile {}\n{}", target, points, tile, failures));
        CHECK(failures.empty());
      }
    }
  }
}

TEST_CASE("tiles of any size on any number of threads change nothing") {
  DifferentialOptions strict = Executed();
  DifferentialOptions fast = Only("cpp-fast", {"-DSTENCILGEN_VECTOR_BYTES=16"});
  for (const int tile : {1, 5, 11}) {
    strict.tile = fast.tile = tile;
    strict.threads = fast.threads = tile / 3;
    CheckAgree(Examples(), {1, 2, 1}, strict);
    CheckAgree(Examples(), {1, 3, 2}, fast);
  }
}

TEST_CASE("suite B in vectors agrees") {
  CheckAgree(SuiteB(), {1, 2, 1}, Only("cpp-fast", {}));
}

}  // namespace
}  // namespace stencilgen::testing
