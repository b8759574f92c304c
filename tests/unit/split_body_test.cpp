// Kernel fission: operators of one body in several.
#include "passes/split_body.h"

#include <algorithm>
#include <set>

#include "kernel/liveness.h"
#include "kernel/verify.h"
#include "support/catch.h"
#include "support/suite.h"
#include "support/suite_bodies.h"

namespace stencilgen {
namespace {

using Parts = std::vector<std::vector<int>>;

struct Program {
  explicit Program(const std::string& text)
      : graph(testing::GraphOfText(text)), run(testing::OperatorRuns(graph).at(0)) {}

  kernel::Body Of(const std::vector<int>& operators) const {
    std::vector<const graph::Operator*> ops;
    for (int op : operators) ops.push_back(run[static_cast<std::size_t>(op)]);
    return testing::BodyOfRun(graph, ops, {1});
  }
  kernel::Body Whole() const { return testing::BodyOfRun(graph, run, {1}); }

  graph::Graph graph;
  std::vector<const graph::Operator*> run;
};

Program Statements(const std::string& statements) {
  return Program(
      "parameter N=8; iterator i; double a[N], b[N], c[N], d[N], e[N], f[N];"
      "copyin a, b, c, d, e, f;"
      "stencil s (a, b, c, d, e, f) { " +
      statements + " } s (a, b, c, d, e, f); copyout c, d, e, f;");
}

TEST_CASE("operators that share elements stay together") {
  // c and e read a, d and f read b.
  const Program program = Statements(
      "c[i] = a[i-1] + a[i] + a[i+1]; d[i] = b[i-1] + b[i+1];"
      "e[i] = a[i-1]*a[i+1]; f[i] = b[i-1]*b[i]*b[i+1];");
  const std::vector<Parts> splits = passes::ListSplits(program.Whole());
  REQUIRE(splits.size() == 4);
  CHECK(splits[0] == Parts{{0, 1, 2, 3}});
  CHECK(splits[1] == Parts{{0, 2}, {1, 3}});
  CHECK(splits[3] == Parts{{0}, {1}, {2}, {3}});
}

TEST_CASE("parts come after those they read, and never enclose another") {
  // f reads d, which reads c: c and f share elements, but d stands between them.
  const Program program = Statements(
      "c[i] = a[i-1] + a[i] + a[i+1]; d[i] = c[i]*b[i]; f[i] = d[i]*a[i-1]*a[i]*a[i+1];");
  for (const Parts& parts : passes::ListSplits(program.Whole())) {
    std::set<int> seen;
    for (const auto& part : parts) {
      const std::set<int> ops(part.begin(), part.end());
      if (ops.count(0) > 0 && ops.count(2) > 0) CHECK(ops.count(1) == 1);
      for (int op : part) {
        CHECK((op == 0 || seen.count(op - 1) > 0));
        seen.insert(op);
      }
    }
    CHECK(seen.size() == 3);
  }
}

TEST_CASE("a body that fits is not split, one that does not is split no more than needed") {
  const Program program = Statements(
      "c[i] = sqrt(a[i-1])*sqrt(a[i])*(a[i-1]-a[i])*(a[i]+e[i]);"
      "d[i] = sqrt(b[i-1])*sqrt(b[i])*(b[i-1]-b[i])*(b[i]+a[i-1])*a[i];");
  const auto body_of = [&](const std::vector<int>& operators) { return program.Of(operators); };
  const passes::Split whole = passes::SplitInto(1, program.Whole(), body_of, {});
  const passes::Split halves = passes::SplitInto(2, program.Whole(), body_of, {});
  REQUIRE(whole.parts.size() == 1);
  REQUIRE(halves.parts.size() == 2);
  REQUIRE(halves.max_live < whole.max_live);
  CHECK(halves.loads > whole.loads);  // a is loaded by both
  CHECK(passes::SplitInto(7, program.Whole(), body_of, {}).parts.size() == 2);
  const auto fitted = [&](int most_live) {
    return passes::SplitToFit(most_live, program.Whole(), body_of, {}).parts.size();
  };
  CHECK(fitted(whole.max_live) == 1);
  CHECK(fitted(whole.max_live - 1) == 2);
  CHECK(fitted(1) == 2);
}

TEST_CASE("every split of the register-limited programs has each operator once") {
  for (const testing::Benchmark& benchmark : testing::Benchmarks()) {
    if (benchmark.name != "hypterm" && benchmark.name != "rhs4center") continue;
    const Program program(benchmark.text);
    const std::vector<Parts> splits = passes::ListSplits(program.Whole());
    REQUIRE(splits.size() == program.run.size());
    for (std::size_t k = 0; k < splits.size(); ++k) {
      CHECK(splits[k].size() == k + 1);
      std::set<int> seen;
      for (const auto& part : splits[k]) {
        CHECK(kernel::Verify(program.Of(part)).empty());
        seen.insert(part.begin(), part.end());
      }
      CHECK(seen.size() == program.run.size());
    }
  }
}

}  // namespace
}  // namespace stencilgen
