// Loops in tiles of several turns: which loops, with which slopes, and what is computed.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "driver/pipeline.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "passes/copy_frames.h"
#include "plan/time_band.h"
#include "plan/verify.h"
#include "support/catch.h"
#include "support/cpp_options.h"

namespace stencilgen::testing {
namespace {

using plan::TimeBand;

plan::Plan PlanOf(const std::string& text, bool bands = true) {
  const SourceFile source("test.idsl", text);
  DiagnosticSink sink;
  driver::PipelineOptions options = CppOptions();
  options.given.fusion = true;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  return bands ? plan::AddTimeBands(std::move(plan), 0) : plan;
}

plan::Repeat& LoopOf(plan::Plan& plan) {
  for (plan::Step& step : plan.steps) {
    if (auto* repeat = std::get_if<plan::Repeat>(&step)) return *repeat;
  }
  FAIL("no loop");
  throw 0;
}

TimeBand BandOf(const std::string& text) {
  plan::Plan plan = PlanOf(text);
  CHECK(plan::Verify(plan).empty());
  REQUIRE(LoopOf(plan).band);
  return *LoopOf(plan).band;
}

/// Why the program's loop has no band.
std::string ReasonOf(const std::string& text) {
  plan::Plan plan = PlanOf(text);
  const plan::Repeat& loop = LoopOf(plan);
  CHECK_FALSE(loop.band);
  auto found = plan::FindTimeBand(plan, loop);
  REQUIRE(std::holds_alternative<std::string>(found));
  return std::get<std::string>(found);
}

/// Statements on u[M,N] and more, repeated.
std::string Loop(const std::string& stencils, const std::string& body,
                 const std::string& more = "") {
  return fmt::format(
      "parameter M, N, T;\niterator j, i;\ndouble u[M,N], v[M,N], w[M,N];\ncopyin u, v, w;\n{}{}"
      "iterate T {{\n{}\n}}\ncopyout u, v, w;\n",
      more, stencils, body);
}

TEST_CASE("tiles lean as far as a turn reaches") {
  SECTION("a star") {
    const TimeBand band = BandOf(Loop(
        "stencil s (u) { u[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]; }\n", "s (u);"));
    CHECK(band.period == 2);
    CHECK(band.outer.slope == 1);
    CHECK(band.inner.slope == 1);
    CHECK(band.outer.rise == std::vector<std::int64_t>{0});
  }
  SECTION("far along one side alone") {
    const TimeBand band =
        BandOf(Loop("stencil s (u) { u[j][i] = u[j-3][i] + u[j][i+2]; }\n", "s (u);"));
    // The second buffer is written again while the first turn's neighbours may still read it.
    CHECK(band.outer.slope == 3);
    CHECK(band.inner.slope == 2);
  }
  SECTION("no neighbours") {
    const TimeBand band =
        BandOf(Loop("stencil s (u, v) { u[j][i] = 2.0 * u[j][i] + v[j][i]; }\n", "s (u, v);"));
    CHECK(band.period == 1);
    CHECK(band.outer.slope == 1);
    CHECK(band.inner.slope == 0);
  }
  SECTION("three arrays that change places") {
    const TimeBand band = BandOf(
        Loop("stencil s (w, v, u) { w[j][i] = 2.0*v[j][i] - u[j][i] + v[j-2][i] + v[j+2][i]; }\n",
             "s (w, v, u); swap u, v; swap v, w;"));
    CHECK(band.period == 3);
    CHECK(band.outer.slope == 2);
  }
}

TEST_CASE("statements of a turn are shifted against each other") {
  // fdtd-2d: what the last statement reads of the others at j+1 and i+1 they have written this
  // turn.
  const TimeBand band =
      BandOf(Loop("stencil y (v, w) { v[j][i] = v[j][i] - 0.5*(w[j][i] - w[j-1][i]); }\n"
                  "stencil x (u, w) { u[j][i] = u[j][i] - 0.5*(w[j][i] - w[j][i-1]); }\n"
                  "stencil z (w, u, v) { w[j][i] = w[j][i] - 0.7*(u[j][i+1] - u[j][i] + v[j+1][i] "
                  "- v[j][i]); }\n",
                  "y (v, w); x (u, w); z (w, u, v);"));
  REQUIRE(band.launches.size() == 3);
  CHECK(band.period == 1);
  CHECK(band.outer.slope == 1);
  CHECK(band.outer.rise[2] == band.outer.rise[0] + 1);
  CHECK(band.inner.slope == 1);
}

TEST_CASE("edges that are set from what is next to them are launches of the band") {
  // Absorbing edges (Mur 1981) around a wave equation.
  const std::string text = Loop(
      "stencil s (w, v, u) { w[j][i] = 2.0*v[j][i] - u[j][i] + v[j-1][i] + v[j][i+1]; }\n"
      "stencil west (w, v) { w[j][i] = v[j][i+1] + 0.3*(w[j][i+1] - v[j][i]); }\n"
      "stencil south (w, v) { w[j][i] = v[j-1][i] + 0.3*(w[j-1][i] - v[j][i]); }\n",
      "s (w, v, u); [1:M-2][0:0] : west (w, v); [M-1:M-1][0:N-1] : south (w, v); swap u, v; "
      "swap v, w;");
  const TimeBand band = BandOf(text);
  REQUIRE(band.launches.size() == 3);
  CHECK(band.period == 3);
  CHECK(band.outer.slope == 1);
  CHECK(band.outer.fall == std::vector<std::int64_t>{0, 0, 1});
  CHECK(band.inner.rise == std::vector<std::int64_t>{0, 1, 1});
  const plan::Plan plan = PlanOf(text);
  CHECK(plan.buffers.size() == 3);  // nothing is copied
}

TEST_CASE("what surrounds an update in place is copied by operators where edges are set anew") {
  const std::string stencils =
      "stencil heat (u) { u[j][i] = u[j-1][i] + u[j+1][i]; }\n"
      "stencil south (u) { u[j][i] = u[j+1][i]; }\n";
  const auto compiled = [&](const std::string& calls,
                            const std::map<std::string, std::int64_t>& fixed = {}) {
    const SourceFile source("test.idsl", Loop(stencils, calls));
    DiagnosticSink sink;
    driver::PipelineOptions options = CppOptions();
    options.fixed = fixed;
    auto graph = driver::CompileToGraph(source, options, sink);
    REQUIRE(graph);
    return *std::move(graph);
  };
  const graph::Graph before = compiled("heat (u); [0:0][0:N-1] : south (u);");
  const graph::Graph after = passes::CopyFrames(before);
  CHECK(graph::Verify(after).empty());
  REQUIRE(after.nodes.size() == before.nodes.size() + 2);
  CHECK_THAT(graph::Print(after),
             Catch::Contains("u.5 = heat_frame [j in 0..0, i in 0..N - 1]: u.1[j][i]") &&
                 Catch::Contains("over u.5: u.1[j][i]") && Catch::Contains("over u.6: "));
  // Edges are written in place, of fixed sizes, too.
  const graph::Graph sized = compiled("heat (u); [0:0][0:N-1] : south (u);", {{"M", 9}, {"N", 9}});
  CHECK(passes::CopyFrames(sized).nodes.size() == sized.nodes.size() + 2);
  // The edges stay as they are, or nobody reads around.
  for (const char* calls : {"heat (u);", "[0:0][0:N-1] : south (u); south (v);"}) {
    const graph::Graph same = compiled(calls);
    CHECK(graph::Print(passes::CopyFrames(same)) == graph::Print(same));
  }
  driver::PipelineOptions options = CppOptions();
  options.choose = true;
  plan::Plan plan = driver::CompileToPlan(before, options);
  const plan::Repeat& loop = LoopOf(plan);
  REQUIRE(loop.band);
  CHECK(loop.band->launches.size() == 4);
  CHECK(loop.band->outer.slope == 1);
}

TEST_CASE("sources and receivers stay in their tiles") {
  const std::string more =
      "double h[T], r[T,N], q[T];\ncopyin h, r, q;\n"
      "stencil s (u, v) { u[j][i] = v[j-1][i] + v[j+1][i]; }\n"
      "stencil shot (u, h) { u[j][i] += h[t]; }\nstencil point (u, h) { u[3][M-2] += h[t]; }\n"
      "stencil listen (r, u) { r[t][i] = u[5][i]; }\nstencil one (q, u) { q[t] = u[5][6]; }\n";
  const auto text = [&](const std::string& calls) {
    return fmt::format(
        "parameter M, N, T;\niterator j, i;\ndouble u[M,N], v[M,N];\ncopyin u, v;\n{}"
        "iterate t : T {{ s (u, v); {} swap u, v; }}\ncopyout u, v, r, q;\n",
        more, calls);
  };
  const std::string calls = "[2:2, 2:4] : shot (u, h); point (u, h); listen (r, u); one (q, u);";
  plan::Plan plan = PlanOf(text(calls));
  CHECK(plan::Verify(plan).empty());
  const plan::Repeat& loop = LoopOf(plan);
  REQUIRE(loop.band);
  REQUIRE(loop.band->launches.size() == 5);
  CHECK(plan::LeadOf(plan, *loop.band) == loop.band->launches[0]);
  const plan::BandShape shape = plan::ShapeOf(plan, loop);
  const auto places = [&](std::size_t launch) {
    std::string all;
    for (const auto& place : shape.places.at(loop.band->launches[launch])) {
      all += place ? graph::ToString(*place, graph::ParameterNames(plan.graph)) + ";" : "-;";
    }
    return all;
  };
  CHECK(places(0) == "-;-;");
  CHECK(places(1) == "-;-;");
  CHECK(places(2) == "3;M - 2;");
  CHECK(places(3) == "5;-;");
  CHECK(places(4) == "5;6;");
  // A record that the loop reads has no place of its own.
  const std::string back = "stencil back (u, r) { u[j][i] -= r[t][i]; }\n";
  CHECK(ReasonOf(back + text("listen (r, u); back (u, r);")) ==
        "r is used at places that do not move with the point");
}

TEST_CASE(
    "arrays that wrap around close rings along the first iterator, and go around the second") {
  const auto rings = [](const std::string& boundary) {
    plan::Plan plan =
        PlanOf(Loop("stencil s (v, u) { v[j][i] = u[j-2][i] + u[j+1][i] + u[j][i+1]; }\n",
                    "s (v, u); swap u, v;", boundary));
    CHECK(plan::Verify(plan).empty());
    const plan::Repeat& loop = LoopOf(plan);
    REQUIRE(loop.band);
    CHECK(loop.band->outer.slope == 2);
    std::string text;
    const plan::BandShape shape = plan::ShapeOf(plan, loop);
    for (const auto& around : shape.around) {
      text += around ? graph::ToString(*around, graph::ParameterNames(plan.graph)) + ";" : "-;";
    }
    return text;
  };
  CHECK(rings("") == "-;-;");
  CHECK(rings("boundary u = wrap, v = wrap;\n") == "M;N;");
  CHECK(rings("boundary u = [clamp, wrap], v = [clamp, wrap];\n") == "-;N;");
  CHECK(rings("boundary u = [wrap, mirror], v = [wrap, mirror];\n") == "M;-;");
}

TEST_CASE("loops that have no tiles say why") {
  CHECK(ReasonOf(Loop("stencil s (u) { u[j][i] = u[j-1][i] + u[3][i]; }\n", "s (u);")) ==
        "u is used at places that do not move with the point");
  CHECK(
      ReasonOf(Loop("stencil s (u, x) { u[j][i] = u[j-1][i] + x[j-1][i]; x[j][i] = u[j][i]; }\n",
                    "s (u, x);", "double x[M+1,N];\ncopyin x;\nboundary u = wrap, x = wrap;\n")) ==
      "arrays wrap around at different ends of j");
  // South reads the corner that the step has left as it was.
  CHECK(ReasonOf(Loop("stencil heat (u) { u[j][i] = u[j-1][i] + u[j+1][i]; }\n"
                      "stencil south (u) { u[j][i] = u[j+1][i]; }\n",
                      "heat (u); [0:0][0:N-1] : south (u);")) ==
        "what heat does not compute of u is copied in each of them");
  CHECK(ReasonOf(Loop("stencil s (u, v) { u[j][i] = v[j-1][i]; }\n"
                      "stencil r (v, u) { v[i][j] = u[i][j]; }\n",
                      "s (u, v); r (v, u);")) == "v is used transposed");
}

TEST_CASE("a loop that a condition may end has tiles between looks at it") {
  const auto text = [](const std::string& head, const std::string& more = "") {
    return fmt::format(
        "parameter M, N, T, K;\niterator j, i;\ndouble u[M,N], v[M,N], e;\ncopyin u, v, e;\n"
        "stencil s (v, u) {{ v[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-2]; }}\n"
        "stencil measure (e, v) {{ double d[M,N]; d[j][i] = v[j][i]*v[j][i]; e = max(d[j][i]); }}\n"
        "stencil scale (v, e) {{ v[j][i] *= 1.0 + e; }}\n"
        "iterate {} {{ s (v, u); {} measure (e, v); swap u, v; }}\ncopyout u, e;\n",
        head, more);
  };
  const TimeBand band = BandOf(text("T until e < 0.1 every 5"));
  CHECK(band.launches.size() == 1);
  CHECK(band.period == 2);
  CHECK(band.outer.slope == 1);
  CHECK(band.inner.slope == 2);
  BandOf(text("T until e < 0.1 every K"));
  CHECK(ReasonOf(text("T until e < 0.1")) == "a condition may end it after any of them");
  CHECK(ReasonOf(text("t : T until e < 0.1 every 5")) ==
        "its turns go on where a condition is looked at");
  CHECK(ReasonOf(text("T until e < 0.1 every 5", "scale (v, e);")) ==
        "a reduction takes all points");
}

TEST_CASE("the verifier finds tiles that lean too little") {
  plan::Plan plan = PlanOf(
      Loop("stencil y (v, w) { v[j][i] = v[j][i] - 0.5*(w[j][i] - w[j-1][i]); }\n"
           "stencil z (w, v) { w[j][i] = w[j][i] - 0.7*(v[j+1][i] - v[j][i]) + v[j][i+2]; }\n",
           "y (v, w); z (w, v);"));
  plan::Repeat& loop = LoopOf(plan);
  REQUIRE(loop.band);
  REQUIRE(plan::VerifyTimeBand(plan, loop).empty());
  const TimeBand sound = *loop.band;
  const auto breaks = [&](auto change) {
    loop.band = sound;
    change(*loop.band);
    const bool found = !plan::Verify(plan).empty();
    loop.band = sound;
    return found;
  };
  CHECK(breaks([](TimeBand& band) { band.outer.rise[1] -= 1; }));
  CHECK(breaks([](TimeBand& band) { band.outer.slope -= 1; }));
  CHECK(breaks([](TimeBand& band) { band.inner.rise[1] = 0; }));
  CHECK(breaks([](TimeBand& band) {
    band.inner.slope = 0;
    band.inner.rise = {0, 0};
  }));
  CHECK(breaks([](TimeBand& band) { band.period += 1; }));
  CHECK(breaks([](TimeBand& band) { band.launches.pop_back(); }));
}

TEST_CASE("a band computes what later turns need of what is wanted") {
  const std::string text = Loop(
      "stencil x (u, w) { u[j][i] = u[j][i] - 0.5*(w[j][i] - w[j][i-1]); }\n"
      "stencil z (w, u) { w[j][i] = w[j][i] - 0.7*(u[j][i+1] - u[j][i] + u[j+2][i]); }\n",
      "x (u, w); z (w, u);");
  plan::Plan plan = PlanOf(text, false);
  const auto number = [](std::int64_t value) { return graph::LinearForm::Constant(value); };
  plan.graph.wanted = {{0, number(5), number(9)}, {1, number(4), number(20)}};
  plan = plan::AddTimeBands(std::move(plan), 0);
  CHECK(plan::Verify(plan).empty());
  REQUIRE(LoopOf(plan).band);
  const std::vector<plan::BandEnds> ends = LoopOf(plan).band->ends;
  REQUIRE(ends.size() == 2);
  // Along j only the second launch reads further than its point, along i both do.
  CHECK(ends[0].turn == 2);
  CHECK(ends[0].after == std::vector<std::int64_t>{2, 0});
  CHECK(ends[1].turn == 2);
  CHECK(ends[1].after == std::vector<std::int64_t>{1, 0});
  CHECK(ends[1].first == number(4));
  CHECK(ends[1].end == number(20));
  const auto breaks = [&](auto change) {
    plan::Plan broken = plan;
    change(LoopOf(broken).band->ends[0]);
    return !plan::Verify(broken).empty();
  };
  CHECK(breaks([](plan::BandEnds& each) { each.turn -= 1; }));
  CHECK(breaks([](plan::BandEnds& each) { each.after[0] -= 1; }));
  CHECK(breaks([](plan::BandEnds& each) { each.after[1] -= 1; }));
  CHECK_FALSE(breaks([](plan::BandEnds& each) { each.turn += 1; }));
}

TEST_CASE("a band whose results something else needs computes all of them") {
  const auto ends_of = [](const std::string& after) {
    plan::Plan plan = PlanOf(
        "parameter M, N, T;\niterator j, i;\ndouble u[M,N], w[M,N];\ncopyin u, w;\n"
        "stencil x (u) { u[j][i] = 0.5*(u[j-1][i] + u[j][i-1]); }\n"
        "stencil z (w, u) { w[j][i] = u[j][i+1]; }\niterate T { x (u); }\n" +
            after + "copyout u, w;\n",
        false);
    plan.graph.wanted = {{0, graph::LinearForm::Constant(5), graph::LinearForm::Constant(9)}};
    plan = plan::AddTimeBands(std::move(plan), 0);
    return LoopOf(plan).band->ends.size();
  };
  CHECK(ends_of("") == 1);
  CHECK(ends_of("z (w, u);\n") == 0);
}

}  // namespace
}  // namespace stencilgen::testing
