// Loops that end by a condition, in every way that they may end: the interpreter, the C++ target
// and emulated CUDA agree bit for bit, with random schedules.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/catch.h"
#include "support/differential.h"
#include "support/prng.h"
#include "support/schedule_generator.h"
#include "support/temporary_directory.h"

namespace stencilgen::testing {
namespace {

/// `u` shrinks by a half in each turn, about; `w` counts turns, `rows` have one of each.
constexpr const char* kHead =
    "parameter M, N, T, K;\niterator j, i;\n"
    "double u[M,N], v[M,N], w[M,N], rows[8,N], r, s, before;\nint n;\n"
    "copyin u, v, w, rows, r, s, before, n;\n"
    "stencil relax (v, u) {\n"
    "  v[j][i] = 0.125*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]);\n"
    "}\n"
    "stencil halve (v, u) { v[j][i] = 0.5*u[j][i]; }\n"
    "stencil count (w) { w[j][i] += 1.0; }\n"
    "stencil tick (n) { n = n + 1; }\n"
    "stencil measure (r, u) { r = max(abs(u[j][i])); }\n"
    "stencil differ (r, u, v) { double d[M,N]; d[j][i] = u[j][i] - v[j][i];\n"
    "  r = norm2(d[j][i]); }\n"
    "stencil keep (before, r) { before = r; }\n"
    "stencil scale (u, r) { u[j][i] /= 1.0 + r; }\n"
    "stencil grow (u) { u[j][i] *= 4.0; }\n";

struct Body {
  const char* name;
  const char* text;  ///< with the calls; `@` is what stands behind the number of turns
  const char* out;
};

const std::vector<Body>& Bodies() {
  static const std::vector<Body> kBodies = {
      // One buffer swapped for another, so that the number of turns decides where results are.
      {"swaps", "iterate T @ { halve (v, u); count (w); measure (r, v); swap u, v; }",
       "u, v, w, r"},
      {"hidden", "iterate T @ { halve (v, u); count (w); measure (r, v); swap u, v; }", "u, w"},
      {"stencil", "iterate T @ { relax (v, u); differ (r, u, v); count (w); swap u, v; }",
       "u, w, r"},
      {"first", "iterate T @ { measure (r, u); tick (n); count (w); halve (v, u); swap u, v; }",
       "u, w, r"},
      // The scalar goes on to the next turn.
      {"goes_on",
       "iterate T @ { scale (u, r); count (w); tick (n); keep (before, r); measure (r, u); }",
       "u, w, r, before"},
      {"reads", "iterate T @ { halve (v, u); swap u, v; measure (r, u); scale (u, r); count (w); }",
       "u, w"},
      {"rows",
       "stencil note (rows, u) { rows[t][i] = u[1][i]; }\n"
       "iterate t : T @ { halve (v, u); note (rows, v); measure (r, v); count (w); swap u, v; }",
       "rows, u, w"},
      {"inner",
       "iterate K { grow (u); iterate T @ { halve (v, u); measure (r, v); count (w); swap u, v; "
       "} }",
       "u, w, r"},
      {"outer", "iterate T @ { iterate K { halve (v, u); swap u, v; } measure (r, u); count (w); }",
       "u, w, r"},
      {"after", "iterate T @ { halve (v, u); measure (r, v); count (w); swap u, v; } scale (w, r);",
       "u, w"},
  };
  return kBodies;
}

const std::vector<std::string>& Conditions() {
  static const std::vector<std::string> kConditions = {
      "until r < 0.3",
      "until r < 0.1 every 2",
      "until r < 0.2 every K",
      "until r < 0.3 every 7",
      "until r < 100.0",
      "until r < -1.0 every 3",
      "until r < 0.3 || n > 9",
      "until r < 0.6 && n != 0",
      "until r < s",
      "until !(r >= 0.2) every [K+1]",
  };
  return kConditions;
}

std::vector<TestProgram> Programs(std::uint64_t seed) {
  Prng prng(seed);
  std::vector<TestProgram> programs;
  for (const Body& body : Bodies()) {
    for (std::size_t n = 0; n < Conditions().size(); ++n) {
      if (!prng.Percent(50)) continue;
      TestProgram program;
      program.name = fmt::format("{}_{}", body.name, n);
      std::string calls = body.text;
      calls.replace(calls.find('@'), 1, Conditions()[n]);
      program.text = fmt::format("{}{}\ncopyout {};\n", kHead, calls, body.out);
      program.continuous = false;
      SetSchedule(&program, RandomSchedule(&prng, 2));
      for (const std::int64_t turns : {1, 2, 5, 8}) {
        program.sizes.push_back({{"M", prng.Range(1, 40)},
                                 {"N", prng.Range(1, 70)},
                                 {"T", turns},
                                 {"K", prng.Range(1, 4)}});
      }
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

TEST_CASE("loops end after the same turn on all targets") {
  const TemporaryDirectory directory;
  DifferentialOptions options;
  options.directory = directory.path();
  const std::vector<TestProgram> programs = Programs(20);
  REQUIRE(programs.size() > 40);
  const std::string failures = Describe(RunDifferential(programs, options));
  INFO(failures);
  CHECK(failures.empty());
}

}  // namespace
}  // namespace stencilgen::testing
