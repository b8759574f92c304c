// Tiles of programs whose arrays have boundary modes.
#include "plan/tile_edges.h"

#include <functional>
#include <string>
#include <vector>

#include "plan/neighbours.h"
#include "plan/print.h"
#include "plan/traffic.h"
#include "plan/verify_tile.h"
#include "support/emit.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using graph::BoundaryKind;
using plan::MovedTo;
using plan::Offset;
using plan::Tile;
using plan::TileVersion;
using Distances = std::vector<std::int64_t>;

const std::string kHead =
    "parameter M, N; iterator j, i; double u[M,N], t[M,N], x[M,N]; copyin u, t, x; ";
const std::string kMovedStars =
    "stencil s (u, t, x) { t[j][i] = u[j-1][i] + u[j][i-1] + u[j][i] + u[j][i+1] + u[j+1][i];"
    "x[j][i] = t[j-1][i] + t[j][i-1] + t[j][i] + t[j][i+1] + t[j+1][i]; } s (u, t, x); copyout x;";

graph::Graph TwoStars(const std::string& mode) {
  return GraphOf(kHead + "boundary u = " + mode + ", t = " + mode + "; " + kMovedStars);
}

TEST_CASE("a mode moves a read to few elements, on the way inside or mirrored") {
  CHECK(MovedTo({BoundaryKind::Clamp}, 1) == Distances{0});
  CHECK(MovedTo({BoundaryKind::Clamp}, -3) == Distances{-2, -1, 0});
  CHECK(MovedTo({BoundaryKind::Clamp}, 2) == Distances{0, 1});
  CHECK(MovedTo({BoundaryKind::Mirror}, -1) == Distances{0});
  CHECK(MovedTo({BoundaryKind::Mirror}, 3) == Distances{-2, -1, 0, 1, 2});
  CHECK(MovedTo({BoundaryKind::Mirror}, 0).empty());
  // About an element: as far away as the read, or an even number less; 0 of a single element.
  CHECK(MovedTo({BoundaryKind::Mirror101}, -1) == Distances{0, 1});
  CHECK(MovedTo({BoundaryKind::Mirror101}, 3) == Distances{-3, -1, 0, 1});
  CHECK(MovedTo({BoundaryKind::Mirror101}, 0).empty());
  for (const BoundaryKind kind : {BoundaryKind::None, BoundaryKind::Wrap, BoundaryKind::Constant}) {
    CHECK(MovedTo({kind}, 2).empty());
  }
}

TEST_CASE("at a corner a read may move along both dimensions, the last of all") {
  graph::Access access;
  access.boundary = {{BoundaryKind::Clamp}, {BoundaryKind::Mirror}};
  CHECK(plan::EdgeOffsets(access, {1, -1, 0}) ==
        std::vector<Offset>{{0, -1, 0}, {1, 0, 0}, {0, 0, 0}});
  access.boundary = {{BoundaryKind::Wrap}, {BoundaryKind::None}};
  CHECK(plan::EdgeOffsets(access, {1, -1, 0}).empty());
}

TEST_CASE("a tile with boundary modes is the tile without") {
  const graph::Graph without = GraphOf(kHead + kMovedStars);
  for (const std::string& schedule : {kPlain, kStream}) {
    const Tile expected = MakeTile(without, schedule);
    for (const char* mode : {"clamp", "mirror", "mirror101", "wrap", "constant(2.0)", "extrapolate",
                             "[wrap, clamp]"}) {
      const graph::Graph graph = TwoStars(mode);
      const Tile tile = MakeTile(graph, schedule);
      INFO(mode << " " << schedule);
      CHECK(VerifyTile(graph, tile) == std::vector<std::string>{});
      CHECK(tile.halo == expected.halo);
      CHECK(tile.steps == expected.steps);
      CHECK(tile.shared_bytes == expected.shared_bytes);
      REQUIRE(tile.versions.size() == expected.versions.size());
      for (std::size_t v = 0; v < tile.versions.size(); ++v) {
        CHECK(tile.versions[v].halo == expected.versions[v].halo);
        CHECK(tile.versions[v].lag == expected.versions[v].lag);
        CHECK(tile.versions[v].planes.size() == expected.versions[v].planes.size());
      }
    }
  }
}

TEST_CASE("what is read around an end is loaded and computed beyond it") {
  const graph::Graph graph = TwoStars("[wrap, clamp]");
  const Tile tile = MakeTile(graph, kPlain);
  using Wraps = std::array<bool, 3>;
  CHECK(VersionOf(graph, tile, "u").wraps == Wraps{true, false, false});
  CHECK(VersionOf(graph, tile, "t").wraps == Wraps{true, false, false});
  CHECK(VersionOf(graph, tile, "x").wraps == Wraps{});
}

TEST_CASE("steps with boundary modes load and compute as much as those without, within 3%") {
  struct Moved {
    double bytes = 0, arithmetic = 0;
  };
  const auto count = [](const std::string& boundary) {
    const SourceFile source("steps.idsl",
                            "parameter M=2048, N=2048, T=4; iterator j, i; double u[M,N], v[M,N];"
                            "copyin u, v; " +
                                boundary +
                                "stencil s (v, u) { v[j][i] = u[j-1][i] + u[j][i-1] + u[j][i] + "
                                "u[j][i+1] + u[j+1][i]; }"
                                "iterate T { s (v, u); swap u, v; } copyout u;");
    driver::PipelineOptions options;
    options.schedule = ScheduleOf("block=128,1,1 stream=0:256 shared=yes fusion=max");
    options.time_tile = 4;
    DiagnosticSink sink;
    auto graph = driver::CompileToGraph(source, options, sink);
    REQUIRE(graph);
    const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
    for (const plan::Kernel& kernel : plan.kernels) {
      if (!kernel.tile || kernel.tile->ops.size() != 4) continue;
      const plan::Traffic traffic = plan::FindTraffic(plan, kernel, {2048, 2048, 4});
      return Moved{static_cast<double>(traffic.load_bytes + traffic.store_bytes),
                   traffic.arithmetic};
    }
    FAIL("the four steps are not one kernel");
    return Moved{};
  };
  const auto in_all = [&](const std::string& mode) {
    return count("boundary u = " + mode + ", v = " + mode + ";");
  };
  const double without = count("").bytes;
  const double arithmetic = in_all("clamp").arithmetic;
  for (const char* mode :
       {"clamp", "mirror", "mirror101", "wrap", "extrapolate", "constant(0.5)"}) {
    INFO(mode);
    const Moved with = in_all(mode);
    CHECK(with.bytes >= 0.99 * without);
    CHECK(with.bytes <= 1.03 * without);
    // Lines beyond ends are computed at ends alone. Blocks that go around compute more there.
    if (mode != std::string("wrap")) CHECK(with.arithmetic == arithmetic);
  }
}

/// The loops over planes that blocks away from edges run, of four steps in one kernel.
std::string SteadyLoop(const std::string& declarations, const std::string& statement,
                       const std::string& schedule) {
  const SourceFile source("steady.idsl",
                          declarations + "stencil s (v, u) { " + statement +
                              " } iterate T { s (v, u); swap u, v; } copyin u, v; copyout u;");
  driver::PipelineOptions options;
  options.schedule = ScheduleOf(schedule);
  options.time_tile = 4;
  DiagnosticSink sink;
  auto graph = driver::CompileToGraph(source, options, sink);
  REQUIRE(graph);
  const plan::Plan plan = driver::CompileToPlan(*std::move(graph), options);
  const std::string text = EmitCuda(plan, options.codegen);
  const std::size_t begin = text.find("plane <= steady_end; ++plane) {");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find("\n      }\n", begin);
  REQUIRE(end != std::string::npos);
  const std::string loop = text.substr(begin, end - begin);
  std::size_t points = 0;  // a thread computes one in each step
  for (std::size_t at = loop.find("FLOPS("); at != std::string::npos;
       at = loop.find("FLOPS(", at + 1)) {
    ++points;
  }
  CHECK(points == 4);
  return loop;
}

TEST_CASE("blocks away from edges run the code of a program without modes") {
  const std::string plane = "parameter M=2048, N=2048, T=4; iterator j, i; double u[M,N], v[M,N];";
  const std::string cube =
      "parameter L=256, M=256, N=256, T=4; iterator k, j, i; double u[L,M,N], v[L,M,N];";
  const std::string j2d5pt =
      "v[j][i] = (5.0*u[j-1][i] + 12.0*u[j][i-1] + 15.0*u[j][i] + 12.0*u[j][i+1] + "
      "5.0*u[j+1][i])/118.0;";
  const std::string j3d7pt =
      "v[k][j][i] = 0.1*u[k-1][j][i] + 0.2*u[k+1][j][i] + 0.15*u[k][j-1][i] + 0.25*u[k][j+1][i] + "
      "0.05*u[k][j][i-1] + 0.12*u[k][j][i+1] + 0.1*u[k][j][i];";
  const std::string in_2d =
      "block=32,1,1 unroll=2,1,1 stream=0:32 shared=yes shuffle=yes fusion=max";
  const std::string in_3d = "block=32,16,1 unroll=1,2,1 stream=0:64 shared=yes fusion=max";
  const std::string none_2d = SteadyLoop(plane, j2d5pt, in_2d);
  const std::string none_3d = SteadyLoop(cube, j3d7pt, in_3d);
  for (const char* mode :
       {"clamp", "mirror", "mirror101", "wrap", "extrapolate", "constant(0.5)"}) {
    INFO(mode);
    const std::string boundary = std::string("boundary u = ") + mode + ", v = " + mode + ";";
    CHECK(SteadyLoop(plane + boundary, j2d5pt, in_2d) == none_2d);
    CHECK(SteadyLoop(cube + boundary, j3d7pt, in_3d) == none_3d);
  }
}

TEST_CASE("results are not computed beyond ends where that would be something else") {
  const auto refusal = [](const std::string& program) { return Refusal(GraphOf(program), kPlain); };
  CHECK(refusal(kHead + "boundary t = wrap;" +
                "stencil s (u, t, x) { t[j][i] = u[j][i+1];"
                "x[j][i] = t[j][i-1]; } s (u, t, x); copyout x;") ==
        "t.1 is read around the ends of i, where it is not computed");
  CHECK(refusal(kHead + "boundary t = wrap, u = clamp;" +
                "stencil s (u, t, x) { t[j][i] = u[j][i+1] - u[j][i-1]; x[j][i] = t[j][i-1]; }"
                "s (u, t, x); copyout x;") ==
        "t.1 is read around the ends of i, and reads beyond them itself");
  CHECK(refusal("parameter M, N; iterator j, i; double u[M,N+2], t[M,N], x[M,N]; copyin u, t, x;"
                "boundary t = wrap; stencil s (u, t, x) { t[j][i] = u[j-1][i] + u[j+1][i];"
                "x[j][i] = t[j][i-1]; } boundary u = wrap; s (u, t, x); copyout x;") ==
        "t.1 and u.0 go around different ends of i");
}

/// What VerifyTile says after a tile was broken.
std::string Broken(const std::string& mode, const std::string& schedule,
                   const std::function<void(TileVersion&)>& harm) {
  const graph::Graph graph = TwoStars(mode);
  Tile tile = MakeTile(graph, schedule);
  const graph::VersionId version = VersionOf(graph, tile, "u").version;
  harm(tile.versions[static_cast<std::size_t>(tile.Find(version))]);
  const std::vector<std::string> problems = VerifyTile(graph, tile);
  return problems.empty() ? "" : problems.front();
}

TEST_CASE("the verifier finds tiles that end where they should go around") {
  CHECK(Broken("wrap", kPlain, [](TileVersion& u) { u.wraps[1] = false; }) ==
        "u.0 ends where it should go on from its other end");
  CHECK(Broken("wrap", kStream, [](TileVersion& u) { u.wraps[0] = false; }) ==
        "u.0 ends where it should go on from its other end");
  CHECK(Broken("clamp", kPlain, [](TileVersion&) {}).empty());
}

TEST_CASE("the verifier finds reads that a mode moves to what the tile does not have") {
  // u[j+3] may be mirrored to u[j-2], two planes before those that are read otherwise.
  const graph::Graph graph =
      GraphOf(kHead + "boundary u = mirror; stencil s (u, x) { x[j][i] = u[j][i] + u[j+3][i]; }" +
              "s (u, x); copyout x;");
  Tile tile = MakeTile(graph, kStream);
  CHECK(VerifyTile(graph, tile).empty());
  TileVersion& u =
      tile.versions[static_cast<std::size_t>(tile.Find(VersionOf(graph, tile, "u").version))];
  REQUIRE(u.planes.size() == 6);
  u.planes.pop_back();
  const std::vector<std::string> problems = VerifyTile(graph, tile);
  REQUIRE(!problems.empty());
  CHECK(problems.front() == "u.0 is not there at edges");
}

}  // namespace
}  // namespace stencilgen::testing
