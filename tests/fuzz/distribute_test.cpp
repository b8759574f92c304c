// Programs for many machines against the interpreter, without MPI: every rank's segments are
// interpreted in this process, and exchanges copy in between.
#include "distribute/distribute.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "distribute/print.h"
#include "driver/pipeline.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "stencilgen/ranks.hpp"
#include "support/catch.h"
#include "support/distributed_run.h"
#include "support/multigrid_generator.h"
#include "support/prng.h"
#include "support/program_generator.h"
#include "support/program_run.h"
#include "support/suite.h"

namespace stencilgen::testing {
namespace {

using distribute::Distributed;

struct Outcome {
  bool distributed = false;
  int runs = 0;       ///< on several ranks
  int exchanges = 0;  ///< of all runs
  std::string refusal, difference;
};

/// Where whole runs on ranks differ from one of the interpreter's, at defined elements.
std::string CompareRun(const graph::Graph& graph, const Distributed& program, const ProgramRun& run,
                       const std::vector<std::int64_t>& ranks, Outcome& outcome) {
  std::map<std::string, graph::Values> inputs;
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) inputs[object.name] = ValuesOf(object);
  }
  const auto result = RunDistributed(program, run.parameters, inputs, ranks);
  if (!result) return "";
  if (!result->error.empty()) return result->error;
  ++outcome.runs;
  outcome.exchanges += result->exchanges;
  for (std::size_t n = 0; n < graph.outputs.size(); ++n) {
    const graph::Array& array = graph.arrays[graph.outputs[n].array];
    for (const RunObject& object : run.arrays) {
      if (object.name != array.name) continue;
      const std::string difference =
          Compare(object, result->outputs.at(array.name), run.reference, 0);
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

/// `fixed`: sizes that the compiler knows.
Outcome CheckProgram(const TestProgram& program, std::int64_t together,
                     const std::vector<std::vector<std::int64_t>>& shapes,
                     const std::map<std::string, std::int64_t>& fixed = {}) {
  Outcome outcome;
  const SourceFile source(program.name, program.text);
  DiagnosticSink sink;
  driver::PipelineOptions options;
  options.fixed = fixed;
  const auto graph = driver::CompileToGraph(source, options, sink);
  if (!graph) {
    // Known sizes may be too small for a call's domain.
    if (fixed.empty()) outcome.difference = RenderText(source, sink.diagnostics(), 0, false);
    return outcome;
  }
  DiagnosticSink refused;
  const auto distributed = distribute::Distribute(*graph, {together}, refused);
  if (!distributed) {
    outcome.refusal = RenderText(source, refused.diagnostics(), 1, false);
    return outcome;
  }
  outcome.distributed = true;
  for (const distribute::Segment& segment : distributed->segments) {
    const std::vector<std::string> broken = graph::Verify(segment.graph);
    if (broken.empty()) continue;
    outcome.difference = broken[0] + "\n" + graph::Print(segment.graph);
    return outcome;
  }
  for (const std::string& problem : distribute::Verify(*distributed)) {
    outcome.difference = problem + "\n" + distribute::Print(*distributed);
    return outcome;
  }
  for (std::size_t r = 0; r < program.sizes.size(); ++r) {
    const ProgramRun run = PrepareRun(*graph, program, r, 11);
    if (!run.reference.error.empty()) continue;
    for (std::vector<std::int64_t> ranks : shapes) {
      ranks.resize(distributed->grid.axes.size(), 1);
      outcome.difference = CompareRun(*graph, *distributed, run, ranks, outcome);
      if (outcome.difference.empty()) continue;
      std::string text;
      for (const std::int64_t count : ranks) text += std::to_string(count) + " ";
      outcome.difference = "ranks " + text + ": " + outcome.difference;
      outcome.difference += "\n" + distribute::Print(*distributed);
      return outcome;
    }
  }
  return outcome;
}

const std::vector<std::vector<std::int64_t>>& Shapes() {
  static const std::vector<std::vector<std::int64_t>> kShapes = {{1},    {2},       {3},   {1, 2},
                                                                 {2, 2}, {2, 1, 2}, {1, 3}};
  return kShapes;
}

/// One random program, and how it is checked.
struct RandomCase {
  TestProgram program;
  std::int64_t together = 1;
  std::map<std::string, std::int64_t> fixed = {};  ///< sizes that the compiler knows
};

/// What random programs have come to, all together.
struct Tally {
  int programs = 0, distributed = 0, runs = 0, exchanges = 0;
};

/// Checks the programs that `make` gives of seeds from `first` on, the n-th of the n-th one: 150,
/// or as many and from where the environment says.
template <typename Make>
Tally CheckRandomPrograms(std::uint64_t first, Make make) {
  const char* const count = std::getenv("STENCILGEN_DISTRIBUTE_PROGRAMS");
  const char* const wanted = std::getenv("STENCILGEN_DISTRIBUTE_SEED");
  if (wanted != nullptr) first = std::strtoull(wanted, nullptr, 10);
  Tally tally;
  tally.programs = count != nullptr ? std::atoi(count) : 150;
  for (int n = 0; n < tally.programs; ++n) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(n);
    const RandomCase one = make(seed, n);
    const Outcome outcome = CheckProgram(one.program, one.together, Shapes(), one.fixed);
    INFO("seed " << seed << ", " << one.together << " turns together\n"
                 << one.program.text << "\n"
                 << outcome.difference);
    REQUIRE(outcome.difference.empty());
    tally.distributed += outcome.distributed ? 1 : 0;
    tally.runs += outcome.runs;
    tally.exchanges += outcome.exchanges;
  }
  return tally;
}

}  // namespace

TEST_CASE("random programs mean on many ranks what they mean on one") {
  const Tally tally = CheckRandomPrograms(910000, [](std::uint64_t seed, int n) {
    RandomCase one{GenerateProgram(seed), 1 + n % 4};
    if (n % 5 == 4) {
      one.program.sizes.resize(1);
      one.fixed = one.program.sizes[0];
    }
    return one;
  });
  // Many have reductions, or read elsewhere than at fixed distances.
  CHECK(tally.distributed * 6 >= tally.programs);
  CHECK(tally.runs > tally.distributed);
  CHECK(tally.exchanges > tally.distributed);
}

TEST_CASE("random programs of several resolutions mean on many ranks what they mean on one") {
  const Tally tally = CheckRandomPrograms(1, [](std::uint64_t seed, int) {
    return RandomCase{GenerateMultigridProgram(seed), static_cast<std::int64_t>(1 + seed % 3)};
  });
  CHECK(tally.distributed * 2 >= tally.programs);
  CHECK(tally.runs > tally.distributed);
}

TEST_CASE("examples and benchmarks mean on many ranks what they mean on one") {
  std::vector<TestProgram> programs = Examples();
  for (const Benchmark& benchmark : Benchmarks()) {
    TestProgram program;
    program.name = benchmark.Identifier();
    program.text = benchmark.text;
    program.sizes.push_back(benchmark.small);
    program.lowest_input = benchmark.lowest_input;
    programs.push_back(program);
  }
  int runs = 0;
  std::set<std::string> refused;
  for (const TestProgram& program : programs) {
    for (const std::int64_t together : {1, 2, 3}) {
      const Outcome outcome = CheckProgram(program, together, {{2}, {1, 2}, {3, 2}});
      INFO(program.name << ", " << together << " together\n" << outcome.difference);
      CHECK(outcome.difference.empty());
      runs += outcome.runs;
      if (!outcome.distributed) refused.insert(program.name);
    }
  }
  CHECK(refused.empty());
  CHECK(runs > 400);
}

TEST_CASE("exchanges that are not deep enough, too deep or not needed are found") {
  const SourceFile source("heat.idsl",
                          "parameter M, N, T; iterator j, i; double u[M,N], v[M,N], c[M,N];"
                          "copyin u, v, c;"
                          "stencil f (v, u, c) { v[j][i] = c[j-1][i]*(u[j-2][i] + u[j][i+1]); }"
                          "iterate T { f (v, u, c); swap u, v; } copyout u;");
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  const auto program = distribute::Distribute(*graph, {2}, sink);
  REQUIRE(program);
  REQUIRE(distribute::Verify(*program).empty());
  // Coefficients, and what no turn writes of v, once; u before each two turns.
  REQUIRE(program->steps.size() == 2);
  const int below = ranks::SideOf(0, -1, 2);
  const auto with_depth = [&](std::size_t step, std::size_t field, std::int64_t more,
                              int direction = ranks::SideOf(0, -1, 2)) {
    Distributed changed = *program;
    distribute::Exchange* exchange = nullptr;
    if (auto* lasting = std::get_if<distribute::ExchangeStep>(&changed.steps[step].what)) {
      exchange = &lasting->exchange;
    } else {
      exchange = &std::get<distribute::ChunksStep>(changed.steps[step].what).before[1];
    }
    (*exchange)[field].depth.At(direction, 0) += more;
    return distribute::Verify(changed);
  };
  CHECK(with_depth(1, 0, -1) ==
        std::vector<std::string>{"'u' is computed of ghosts that do not have their values"});
  CHECK_FALSE(with_depth(0, 0, -1).empty());
  CHECK_FALSE(with_depth(0, 1, -1).empty());
  CHECK(with_depth(1, 0, 1) ==
        std::vector<std::string>{"'u' has no room for the ghosts that it gets"});
  Distributed roomy = *program;
  for (distribute::Reach& ghosts : roomy.ghosts) ghosts.lo += 5;
  auto& chunks = std::get<distribute::ChunksStep>(roomy.steps[1].what);
  distribute::Halo& depth = chunks.before[1][0].depth;
  depth.At(below, 0) += 1;
  CHECK(distribute::Verify(roomy) ==
        std::vector<std::string>{"nobody reads all of the ghosts that 'u' gets"});
  depth.At(below, 0) -= 1;
  REQUIRE(distribute::Verify(roomy).empty());
  // Two turns read u[j-2][i+1], and nothing at other corners.
  const int read = below + 1;
  const int other = below - 1;
  CHECK(depth.Has(read));
  CHECK(depth.At(read, 0) == 2);
  CHECK(depth.At(read, 1) == 1);
  CHECK_FALSE(depth.Has(other));
  CHECK(with_depth(1, 0, -1, read) ==
        std::vector<std::string>{"'u' is computed of ghosts that do not have their values"});
  CHECK(with_depth(1, 0, -2, read) == with_depth(1, 0, -1, read));
  depth.At(other, 0) = depth.At(other, 1) = 1;
  CHECK(distribute::Verify(roomy) ==
        std::vector<std::string>{"nobody reads all of the ghosts that 'u' gets",
                                 "nobody reads all of the ghosts that 'u' gets"});
  Distributed twice = *program;
  twice.steps.insert(twice.steps.begin(), twice.steps[0]);
  CHECK_FALSE(distribute::Verify(twice).empty());
}

TEST_CASE("random programs that once failed") {
  // 7336: memory changes places in a loop that overwrites one of the arrays. 7520: an array of more
  // elements than the grid has points, from what is mirrored at the end of a rank of one point.
  // 10545: ghosts that the last turn of a loop leaves valid. 2000187: a corner of a frame that
  // turns get less of.
  for (const std::uint64_t seed : {7336, 7520, 10545, 2000187}) {
    const TestProgram program = GenerateProgram(seed);
    TestProgram fixed = program;
    fixed.sizes.resize(1);
    for (const std::int64_t together : {1, 2, 3, 4}) {
      for (const Outcome& outcome : {CheckProgram(program, together, Shapes()),
                                     CheckProgram(fixed, together, Shapes(), fixed.sizes[0])}) {
        INFO("seed " << seed << "\n" << program.text << "\n" << outcome.difference);
        CHECK(outcome.difference.empty());
      }
    }
  }
}

TEST_CASE("turns together take one exchange, as deep as all of them reach") {
  const SourceFile source("heat.idsl",
                          "parameter M, N, T; iterator j, i; double u[M,N]; copyin u;"
                          "stencil f (u) { u[j][i] = 0.5*(u[j-1][i] + u[j+2][i]); }"
                          "iterate T { f (u); } copyout u;");
  DiagnosticSink sink;
  const auto graph = driver::CompileToGraph(source, {}, sink);
  REQUIRE(graph);
  const auto program = distribute::Distribute(*graph, {3}, sink);
  REQUIRE(program);
  REQUIRE(program->steps.size() == 1);
  const auto& chunks = std::get<distribute::ChunksStep>(program->steps[0].what);
  REQUIRE(chunks.before.size() == 3);
  for (std::int64_t turns = 1; turns <= 3; ++turns) {
    const distribute::Exchange& exchange = chunks.before[static_cast<std::size_t>(turns - 1)];
    REQUIRE(exchange.size() == 1);
    CHECK(SidesOf(exchange[0].depth) == distribute::Reaches{{turns, 2 * turns}, {0, 0}});
  }
  CHECK(program->ghosts == distribute::Reaches{{3, 6}, {0, 0}});
}

TEST_CASE("ghosts at corners are exchanged where they are read, and only there") {
  struct Case {
    std::string reads;
    std::int64_t together;
    std::string exchange;  ///< before that many turns
  };
  const std::vector<Case> cases = {
      {"u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]", 1, "u 1:1 1:1"},
      {"u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]", 3, "u 3:3 3:3 corners 2:2 2:2"},
      {"u[j-2][i] + u[j][i-2] + u[j][i+1]", 2, "u 4:0 4:2 corners 2:0 2:1"},
      {"u[j-1][i-1] + u[j+1][i+1]", 1, "u 1:1 1:1 corners 1:0 1:0 and 0:1 0:1"},
      {"u[j-1][i-1] + u[j+1][i+1]", 2, "u 2:2 2:2 corners 2:0 2:0 and 0:2 0:2"},
      {"u[j+1][i-1] + u[j][i]", 2, "u 0:2 2:0 corners 0:2 2:0"},
      {"u[j-1][i-1] + u[j-1][i+1] + u[j+1][i-1] + u[j+1][i+1]", 2, "u 2:2 2:2 corners 2:2 2:2"},
      {"u[j-1][i] + u[j+1][i]", 4, "u 4:4 0:0"}};
  for (const Case& one : cases) {
    const SourceFile source("reads.idsl",
                            "parameter M, N, T; iterator j, i; double u[M,N]; copyin u;"
                            "stencil f (u) { u[j][i] = 0.2*(" +
                                one.reads + "); } iterate T { f (u); } copyout u;");
    DiagnosticSink sink;
    const auto graph = driver::CompileToGraph(source, {}, sink);
    REQUIRE(graph);
    const auto program = distribute::Distribute(*graph, {one.together}, sink);
    REQUIRE(program);
    INFO(one.reads << "\n" << distribute::PrintSteps(*program));
    CHECK(distribute::Verify(*program).empty());
    CHECK(distribute::PrintSteps(*program).find("exchange " + one.exchange + "\n") !=
          std::string::npos);
  }
}

TEST_CASE("boxes of two depths at one corner are not taken for one that holds both") {
  distribute::Halo there(2, 0);
  const distribute::Halo tall(distribute::Reaches{{2, 0}, {1, 0}});
  const distribute::Halo wide(distribute::Reaches{{1, 0}, {2, 0}});
  Fill(there, tall);
  CHECK(there == tall);
  Fill(there, wide);
  const int corner = ranks::SideOf(0, -1, 2) - 1;
  CHECK(there.At(corner, 0) == 1);
  CHECK(there.At(corner, 1) == 2);
  CHECK(SidesOf(there) == distribute::Reaches{{2, 0}, {2, 0}});
  Fill(there, distribute::Halo(distribute::Reaches{{1, 0}, {1, 0}}));
  CHECK(there.At(corner, 1) == 2);
  // No points come to the corner.
  const distribute::Halo flat(distribute::Reaches{{3, 0}, {0, 0}});
  Fill(there, flat, distribute::Counted::Points);
  CHECK(there.At(corner, 1) == 2);
  Fill(there, flat);
  CHECK(there.At(corner, 1) == 0);
}

TEST_CASE("frames of memory that goes around are exchanged once, or come with values") {
  // What a loop does to three arrays, and the exchange before it.
  struct Case {
    std::string turn;
    std::int64_t together;
    std::string exchange;  ///< empty: none
  };
  const std::vector<Case> cases = {
      {"f (w, u); swap w, v; swap u, v;", 1, ""},
      // The second turns' frames are those of u, which is exchanged before the first ones.
      {"f (w, u); swap w, v; swap u, v;", 2, "w 1:0 0:1"},
      // Each array has its own one again.
      {"f (w, u); swap w, v; swap u, v;", 3, "v 1:0 0:1, w 2:0 0:2 corners 1:0 0:1"},
      {"f (w, u); f (x, w); swap w, v; swap u, v;", 1, "v 1:0 0:1, w 1:0 0:1"},
      {"f (w, u); f (x, w); swap w, u; swap u, v;", 1, "w 1:0 0:1"}};
  for (const Case& one : cases) {
    for (const bool nested : {false, true}) {
      TestProgram program;
      program.text =
          "parameter M, N, S, T; iterator j, i; double u[M,N], v[M,N], w[M,N], x[M,N];"
          "copyin u, v, w, x;"
          "stencil f (a, b) { a[j][i] = 0.5*b[j-1][i] + 0.25*b[j][i+1]; }" +
          std::string(nested ? "iterate S { iterate T { " + one.turn + " } f (u, u); }"
                             : "iterate T { " + one.turn + " }") +
          " copyout u, v, w, x;";
      for (const std::int64_t turns : {1, 2, 3, 4, 5, 7}) {
        program.sizes.push_back({{"M", 17}, {"N", 14}, {"S", 3}, {"T", turns}});
      }
      const Outcome outcome = CheckProgram(program, one.together, Shapes());
      INFO(one.turn << "\n" << one.together << " together\n" << outcome.difference);
      CHECK(outcome.difference.empty());
      CHECK(outcome.runs > 20);
      const SourceFile source("frames.idsl", program.text);
      DiagnosticSink sink;
      const auto graph = driver::CompileToGraph(source, {}, sink);
      REQUIRE(graph);
      const auto distributed = distribute::Distribute(*graph, {one.together}, sink);
      REQUIRE(distributed);
      const std::string steps = distribute::PrintSteps(*distributed);
      const std::size_t loop = steps.rfind("loop T");
      const std::size_t before = steps.rfind("exchange", loop);
      INFO(steps);
      CHECK((before == std::string::npos) == one.exchange.empty());
      CHECK(steps.find("exchange " + one.exchange) != std::string::npos);
    }
  }
}

}  // namespace stencilgen::testing
