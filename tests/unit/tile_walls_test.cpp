// Calls over a few points beside an edge: where they compute, and what other blocks are spared.
#include <algorithm>
#include <string>
#include <vector>

#include "plan/verify_tile.h"
#include "plan/walls.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::Tile;
using plan::TileStep;
using Kind = TileStep::Kind;
using Problems = std::vector<std::string>;

/// A step inside the box and its four walls, then what reads neighbours of the result.
const std::string kWalledBox =
    "parameter M, N; iterator j, i; double u[M,N], x[M,N]; copyin u, x;"
    "stencil step (u) {"
    "  u[j][i] = u[j-1][i-1] + u[j-1][i+1] + u[j][i] + u[j+1][i-1] + u[j+1][i+1]; }"
    "stencil south (u) { u[j][i] = u[j+1][i]; } stencil north (u) { u[j][i] = u[j-1][i]; }"
    "stencil west (u) { u[j][i] = u[j][i+1]; } stencil east (u) { u[j][i] = u[j][i-1]; }"
    "stencil last (x, u) { x[j][i] = u[j][i-1] + u[j][i+1]; }"
    "step (u); [0:0][0:N-1] : south (u); [M-1:M-1][0:N-1] : north (u);"
    "[0:M-1][0:0] : west (u); [0:M-1][N-1:N-1] : east (u); last (x, u); copyout x;";

const std::string kSquare = "block=16,16,1 shared=yes fusion=max";
const std::string kWideStream = "block=32,1,1 stream=0:0 shared=yes fusion=max";

int Count(const std::vector<TileStep>& steps, Kind kind) {
  return static_cast<int>(std::count_if(steps.begin(), steps.end(),
                                        [&](const TileStep& step) { return step.kind == kind; }));
}

TEST_CASE("walls are found with the dimension and the end of the array they are at") {
  const graph::Graph graph = GraphOf(kWalledBox);
  const Tile tile = MakeTile(graph, kSquare);
  REQUIRE(tile.ops.size() == 6);
  CHECK_FALSE(tile.ops[0].wall);
  CHECK_FALSE(tile.ops[5].wall);
  for (const auto& [op, dimension, first] :
       {std::tuple{1, 0, true}, {2, 0, false}, {3, 1, true}, {4, 1, false}}) {
    INFO("operator " << op);
    const auto& wall = tile.ops[static_cast<std::size_t>(op)].wall;
    REQUIRE(wall);
    CHECK(wall->dimension == static_cast<std::size_t>(dimension));
    CHECK(wall->first == first);
  }
}

TEST_CASE("a wall whose background is loaded is one") {
  const graph::Graph graph = GraphOf(
      "parameter M, N; iterator j, i; double u[M,N], x[M,N]; copyin u;"
      "stencil north (u) { u[j][i] = u[j-1][i]; }"
      "stencil last (x, u) { x[j][i] = u[j][i-1] + u[j][i+1]; }"
      "[M-1:M-1][0:N-1] : north (u); last (x, u); copyout x;");
  for (const std::string& schedule : {kSquare, kWideStream}) {
    const Tile tile = MakeTile(graph, schedule);
    REQUIRE(tile.ops[0].background);
    CHECK(tile.ops[0].wall);
  }
}

TEST_CASE("where all is at one wall, no block is spared anything") {
  const std::string stencil =
      "parameter M, N; iterator j, i; double u[M,N], x[M,N]; copyin u, x;"
      "stencil s (x, u) { double t[M,N]; t[j][i] = 0.5*u[j][i-1] + u[j][i+1];"
      "  x[j][i] = t[j][i-1] + t[j][i+1]; }";
  for (const std::string& schedule : {kSquare, kWideStream}) {
    const Tile thin =
        MakeTile(GraphOf(stencil + "[M-8:M-1][0:N-1] : s (x, u); copyout x;"), schedule);
    REQUIRE(thin.ops.size() == 2);
    for (const auto& op : thin.ops) CHECK_FALSE(op.wall);
    CHECK(thin.free_steps == thin.steps);
    // At both ends there are blocks between them.
    const Tile ends = MakeTile(GraphOf(stencil + "[0:7][0:N-1] : s (x, u);"
                                                 "[M-8:M-1][0:N-1] : s (x, u); copyout x;"),
                               schedule);
    REQUIRE(ends.ops.size() == 4);
    for (const bool first : {true, false}) {
      CHECK(std::any_of(ends.ops.begin(), ends.ops.end(),
                        [&](const auto& op) { return op.wall && op.wall->first == first; }));
    }
  }
}

TEST_CASE("a wall at the beginning of rows lies at one place of threads") {
  const graph::Graph graph = GraphOf(kWalledBox);
  const Tile tile = MakeTile(graph, "block=8,8,1 unroll=4,1,1 shared=yes fusion=max");
  const auto& west = tile.ops[3].wall;
  REQUIRE(west);
  REQUIRE(west->places.size() == 4);
  // Tiles store so many points that not all begin at the same place.
  const std::int64_t start = tile.FirstTile(1, 1) - tile.halo.lo[1];
  const auto place = static_cast<std::size_t>((-start % 4 + 4) % 4);
  CHECK(west->places[place]);
  CHECK(std::count(west->places.begin(), west->places.end(), true) <= 2);
  CHECK(tile.ops[4].wall->places.empty());
}

TEST_CASE("blocks beyond walls neither publish nor wait for what only walls read") {
  const graph::Graph graph = GraphOf(kWalledBox);
  for (const std::string& schedule : {kSquare, kWideStream}) {
    INFO(schedule);
    const Tile tile = MakeTile(graph, schedule);
    REQUIRE(VerifyTile(graph, tile) == Problems{});
    CHECK(Count(tile.free_steps, Kind::Compute) == 6);
    // The input, and the result of the last wall, which `last` reads.
    CHECK(Count(tile.free_steps, Kind::Publish) == 2);
    CHECK(Count(tile.steps, Kind::Publish) > 2);
    CHECK(Count(tile.free_steps, Kind::Barrier) <= Count(tile.steps, Kind::Barrier));
  }
  const Tile plain = MakeTile(graph, kSquare);
  CHECK(Count(plain.free_steps, Kind::Barrier) == 2);
  const graph::Graph none = StarProgram("x[j][i] = u[j-1][i] + u[j][i-1] + u[j][i+1];");
  const Tile same = MakeTile(none, kSquare);
  CHECK(same.free_steps == same.steps);
}

TEST_CASE("the verifier finds what blocks beyond walls would miss") {
  const graph::Graph graph = GraphOf(kWalledBox);
  for (const std::string& schedule : {kSquare, kWideStream}) {
    INFO(schedule);
    const Tile good = MakeTile(graph, schedule);
    for (std::size_t place = 0; place < good.free_steps.size(); ++place) {
      INFO("without step " << place);
      Tile broken = good;
      broken.free_steps.erase(broken.free_steps.begin() + static_cast<std::ptrdiff_t>(place));
      CHECK(VerifyTile(graph, broken) != Problems{});
    }
    Tile moved = good;
    moved.ops[1].wall->first = false;
    CHECK(VerifyTile(graph, moved) == Problems{"operator 1 is at no wall"});
    Tile claimed = good;
    claimed.ops[0].wall = good.ops[1].wall;
    CHECK(VerifyTile(graph, claimed) != Problems{});
  }
}

}  // namespace
}  // namespace stencilgen::testing
