// What tiles load, how far they reach, and when each plane is made; and what cannot be a tile.
#include <string>
#include <vector>

#include "plan/barriers.h"
#include "plan/unroll_steps.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::Halo;
using plan::Tile;
using plan::TileVersion;

const std::string kStar = " = {0}[j-1][i] + {0}[j][i-1] + {0}[j][i] + {0}[j][i+1] + {0}[j+1][i];";

std::string Star(const std::string& from, const std::string& to) {
  return to + "[j][i]" + fmt::format(fmt::runtime(kStar), from);
}

const std::string kTwoBoxes =
    "double t[M,N]; t[j][i] = u[j-1][i-1] + u[j][i] + u[j+1][i+1];"
    "x[j][i] = t[j-1][i-1] + t[j][i] + t[j+1][i+1];";

Halo HaloOf(const graph::Graph& graph, const Tile& tile, const std::string& array) {
  return VersionOf(graph, tile, array).halo;
}
std::int64_t LagOf(const graph::Graph& graph, const Tile& tile, const std::string& array) {
  return VersionOf(graph, tile, array).lag;
}

TEST_CASE("halos grow from the last operator back, each side for itself") {
  const graph::Graph graph = StarProgram(
      "double t[M,N]; t[j][i] = u[j-2][i] + u[j][i+3]; x[j][i] = t[j+1][i] + t[j][i-2];");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes fusion=max");
  // x needs t one plane on and two points to the left; t needs u two planes back from its own
  // first, at most one on (its halo), and three to the right.
  CHECK(HaloOf(graph, tile, "x") == Halo{});
  CHECK(HaloOf(graph, tile, "t") == Halo{{0, 2, 0}, {1, 0, 0}});
  CHECK(HaloOf(graph, tile, "u") == Halo{{2, 2, 0}, {1, 3, 0}});
  CHECK(tile.halo == Halo{{2, 2, 0}, {1, 3, 0}});
  CHECK(tile.Stored(0) == 8 - 3);
  CHECK(tile.Stored(1) == 16 - 5);
}

/// Two stars in three dimensions from u over t to x, in one tile; u has these extents.
Halo SparedOfStars(const std::string& extents, const std::string& boundary,
                   const std::string& schedule) {
  const auto star = [](const std::string& from, const std::string& to) {
    return to + "[k][j][i]" +
           fmt::format(
               " = {0}[k-1][j][i] + {0}[k+1][j][i] + {0}[k][j-1][i] + {0}[k][j+1][i] + "
               "{0}[k][j][i-1] + {0}[k][j][i+1];",
               from);
  };
  const graph::Graph graph =
      GraphOf("parameter L, M, N, K; iterator k, j, i; double u[" + extents +
              "], t[L,M,N], x[L,M,N]; copyin u, t, x;" + boundary + "stencil s (u, t, x) {" +
              star("u", "t") + star("t", "x") + "} s (u, t, x); copyout x;");
  const Tile tile = MakeTile(graph, schedule + " shared=yes fusion=max");
  CHECK(tile.halo == Halo{{2, 2, 2}, {2, 2, 2}});
  return tile.spared;
}

TEST_CASE("tiles at the ends of arrays do without the halo beyond") {
  // x is stored from 1 to M-2 and needs u two points around; arrays have one around x.
  CHECK(SparedOfStars("L,M,N", "", "block=16,8,8") == Halo{{1, 1, 1}, {1, 1, 1}});
  CHECK(SparedOfStars("L,M,N", "", "block=16,8,1 stream=0:0") == Halo{{0, 1, 1}, {0, 1, 1}});
  Tile tile;
  tile.dimensions = 3;
  tile.threads = {1, 8, 16};
  tile.halo = {{0, 2, 2}, {0, 2, 2}};
  tile.spared = {{0, 1, 1}, {0, 1, 1}};
  // Of 8 rows a tile stores four, the first one (1 to 5) and the last one five.
  CHECK(tile.FirstTile(1, 1) == 2);
  CHECK(tile.Tiles(1, 2, 1) == 1);
  CHECK(tile.Tiles(1, 2, 6) == 1);
  CHECK(tile.Tiles(1, 2, 7) == 2);
  CHECK(tile.Tiles(1, 2, 10) == 2);
  CHECK(tile.Tiles(1, 2, 11) == 3);
  // Along x its threads begin at a multiple.
  tile.alignment = 4;
  CHECK(tile.FirstTile(2, 1) == 2);
  CHECK(tile.FirstTile(2, 4) == 2);
  CHECK(tile.FirstTile(2, 5) == 6);
}

TEST_CASE("halos are needed whole where arrays go on, or distances are not known") {
  const std::string schedule = "block=16,8,8";
  CHECK(SparedOfStars("L,M,N", "boundary u = wrap, t = wrap;", schedule) == Halo{});
  CHECK(SparedOfStars("L,M,N", "boundary u = clamp, t = clamp;", schedule) == Halo{});
  // u ends a point later than x does, or nobody knows where.
  CHECK(SparedOfStars("L+1,M,N", "", schedule) == Halo{{1, 1, 1}, {0, 1, 1}});
  CHECK(SparedOfStars("K,M,N", "", schedule) == Halo{{0, 1, 1}, {0, 1, 1}});
  // Of two dimensions arrays have many tiles in a row.
  const graph::Graph flat = StarProgram(Star("u", "w") + Star("w", "x"));
  CHECK(MakeTile(flat, "block=16,8,1 shared=yes fusion=max").spared == Halo{});
}

TEST_CASE("the halo of a version is that of its farthest reader") {
  const graph::Graph graph = StarProgram(
      "double t[M,N]; t[j][i] = u[j][i-1] + u[j][i]; x[j][i] = t[j][i-1] + t[j][i] + u[j][i+4];");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes fusion=max");
  CHECK(HaloOf(graph, tile, "t") == Halo{{0, 1, 0}, {0, 0, 0}});
  CHECK(HaloOf(graph, tile, "u") == Halo{{0, 2, 0}, {0, 4, 0}});
}

TEST_CASE("an input is held where it is read more than once") {
  const graph::Graph graph =
      StarProgram("x[j][i] = u[j][i] + u[j][i+1] + v[j][i] + w[j][i-1] + w[j][i-1];");
  const Tile tile = MakeTile(graph, "block=8,8,1 shared=yes");
  std::vector<std::string> held;
  for (const TileVersion& version : tile.versions) {
    held.push_back(graph.arrays[graph.versions[version.version].array].name);
  }
  CHECK(held == std::vector<std::string>{"u", "x"});
  // At a thread's own point it is held for more than one read, if there is something else to hold.
  const auto twice = [](const std::string& rest) {
    return StarProgram("x[j][i] = v[j][i]*v[j][i] + " + rest + ";");
  };
  const graph::Graph with_u = twice("u[j][i] + u[j][i+1]");
  CHECK(VersionOf(with_u, MakeTile(with_u, "block=8,8,1 shared=yes"), "v").loaded);
  CHECK(HaloOf(with_u, MakeTile(with_u, "block=8,8,1 shared=yes"), "v") == Halo{});
  const graph::Graph alone = twice("u[j][i]");
  CHECK(MakeTile(alone, "block=8,8,1 shared=yes").versions.size() == 1);
  const graph::Graph wished = StarProgram("x[j][i] = u[j][i] + u[j][i+1] + v[j][i];", "shmem v;");
  const Tile with_wish = MakeTile(wished, "block=8,8,1 shared=yes");
  CHECK(VersionOf(wished, with_wish, "v").loaded);
}

TEST_CASE("lags with a barrier a level: each as soon as its farthest plane is there") {
  const graph::Graph graph = StarProgram(kTwoStars);
  const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  CHECK(tile.stream == std::size_t{0});
  CHECK(LagOf(graph, tile, "u") == 0);
  CHECK(LagOf(graph, tile, "t") == 1);
  CHECK(LagOf(graph, tile, "x") == 2);
  CHECK(tile.threads[0] == 1);
}

TEST_CASE("lags with a barrier a step: one more where neighbours' newest plane is read") {
  // Of a star only the middle plane, a step old by then, is read from others: nothing changes.
  const graph::Graph star = StarProgram(kTwoStars);
  const Tile same = MakeTile(star, "block=16,1,1 stream=0:0 shared=yes fusion=max barriers=step");
  CHECK(LagOf(star, same, "t") == 1);
  CHECK(LagOf(star, same, "x") == 2);
  const graph::Graph box = StarProgram(kTwoBoxes);
  const Tile level = MakeTile(box, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  CHECK(LagOf(box, level, "x") == LagOf(box, level, "t") + 1);
  const Tile step = MakeTile(box, "block=16,1,1 stream=0:0 shared=yes fusion=max barriers=step");
  CHECK(LagOf(box, step, "x") == LagOf(box, step, "t") + 2);
  CHECK(plan::CountBarriers(step) <= plan::CountBarriers(level));
}

TEST_CASE("prefetching makes inputs a step earlier") {
  const graph::Graph graph = StarProgram(kTwoStars);
  for (const char* prefetch : {"register", "async"}) {
    const Tile tile = MakeTile(
        graph, std::string("block=16,1,1 stream=0:0 shared=yes fusion=max prefetch=") + prefetch);
    CHECK(LagOf(graph, tile, "t") - LagOf(graph, tile, "u") == 2);
    CHECK(LagOf(graph, tile, "x") - LagOf(graph, tile, "t") == 1);
  }
}

TEST_CASE("what a thread reads once is loaded where an operator reads it, or with the planes") {
  const graph::Graph graph = StarProgram("x[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1] + w[j][i];");
  const auto make = [&](const std::string& prefetch) {
    return MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max prefetch=" + prefetch);
  };
  const Tile apart = make("none");
  CHECK(apart.versions.size() == 2);  // u and x
  CHECK(plan::ReadsMemory(graph, apart, 0));
  for (const char* prefetch : {"step", "register", "async"}) {
    const Tile tile = make(prefetch);
    const bool ahead = prefetch != std::string("step");
    CHECK(!plan::ReadsMemory(graph, tile, 0));
    CHECK(LagOf(graph, tile, "x") - LagOf(graph, tile, "w") == (ahead ? 1 : 0));
    CHECK(LagOf(graph, tile, "x") - LagOf(graph, tile, "u") == (ahead ? 2 : 1));
    const plan::TileVersion& own = VersionOf(graph, tile, "w");
    CHECK(own.planes.size() == (ahead ? 2 : 1));
    CHECK(!own.async);
    CHECK(own.slots == 0);
    CHECK(own.halo == Halo{});
  }
}

TEST_CASE("loads that are for later steps stay before the barriers in between") {
  const auto in_order = [](const std::string& statements, const std::string& more) {
    const graph::Graph graph = StarProgram(statements);
    return plan::LoadsInOrder(graph, MakeTile(graph, "block=16,1,1 shared=yes fusion=max" + more));
  };
  const std::string star = "x[j][i] = u[j-1][i] + u[j+1][i] + u[j][i-1] + w[j][i];";
  CHECK(in_order(star, " stream=0:0 prefetch=register"));
  // The newest plane is used in the step that loads it; nobody waits for anybody; one step alone;
  // no load but copies.
  CHECK(!in_order(star, " stream=0:0 prefetch=step"));
  CHECK(!in_order("x[j][i] = u[j-1][i] + u[j+1][i] + w[j][i];", " stream=0:0 prefetch=register"));
  CHECK(!in_order(star, " unroll=1,4,1"));
  CHECK(!in_order("x[j][i] = u[j][i] + u[j][i-1];", " stream=0:0 prefetch=async"));
  CHECK(in_order(star, " stream=0:0 prefetch=async"));
}

TEST_CASE("steps are written out until planes are back in their registers") {
  const graph::Graph graph = StarProgram(kTwoStars);
  const auto unroll = [&](const std::string& more) {
    const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max" + more);
    return plan::UnrollOfSteps(graph, tile);
  };
  // Planes of ages 0 to 2, of u and t; two of each in shared memory count for nothing.
  CHECK(unroll("") == 3);
  CHECK(unroll(" barriers=step") == 3);
  // Of u a fourth, on its way: to move that one would be to wait for it.
  CHECK(unroll(" prefetch=register") == 4);
}

TEST_CASE("an input that only looks back is loaded as late as it may") {
  const graph::Graph graph = StarProgram(
      "double t[M,N]; t[j][i] = u[j+2][i] + u[j][i];"
      "x[j][i] = t[j][i] + w[j-1][i] + w[j-3][i];");
  const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  CHECK(LagOf(graph, tile, "u") == 0);
  CHECK(LagOf(graph, tile, "t") == 2);
  CHECK(LagOf(graph, tile, "x") == 2);
  CHECK(LagOf(graph, tile, "w") == 3);
}

TEST_CASE("a block without room for the halos is refused") {
  const graph::Graph graph = StarProgram(kTwoStars);
  CHECK(Refusal(graph, "block=5,5,1 shared=yes fusion=max").empty());
  const std::string along_i = Refusal(graph, "block=4,5,1 shared=yes fusion=max");
  CHECK(along_i == "a tile of 4 points along i has no room for halos of 2 and 2");
  CHECK(Refusal(graph, "block=5,4,1 shared=yes fusion=max").find("along j") != std::string::npos);
  // Several points a thread make room; along the stream none is needed.
  CHECK(Refusal(graph, "block=4,4,1 unroll=2,2,1 shared=yes fusion=max").empty());
  CHECK(Refusal(graph, "block=5,1,1 stream=0:0 shared=yes fusion=max").empty());
}

TEST_CASE("a block has at most 1024 threads") {
  const graph::Graph graph = StarProgram(kTwoStars);
  CHECK(Refusal(graph, "block=32,32,1 shared=yes fusion=max").empty());
  CHECK(Refusal(graph, "block=32,33,1 shared=yes fusion=max").find("1024") != std::string::npos);
}

TEST_CASE("shared memory and registers have limits") {
  const graph::Graph graph = StarProgram(kTwoStars);
  // Two planes of 16 x 8 doubles and what lies around them for reads beyond the edge: 17 each way.
  const std::int64_t bytes = 2 * (16 * 8 + 2 * 17) * 8;
  const auto limited = [&](std::int64_t limit) {
    return Refusal(graph, fmt::format("block=16,8,1 shared=yes fusion=max limit={}", limit));
  };
  CHECK(limited(bytes).empty());
  // The two levels may take turns in one plane, at the price of a barrier.
  CHECK(limited(bytes / 2).empty());
  CHECK(limited(bytes / 2 - 1).find("shared memory") != std::string::npos);
  // 120 doubles a thread do not fit into its registers.
  CHECK(Refusal(graph, "block=8,8,1 unroll=6,10,1 shared=yes fusion=max").find("registers") !=
        std::string::npos);
}

TEST_CASE("results read elsewhere than at neighbours are refused") {
  constexpr const char* kHead =
      "parameter M, N; iterator j, i; double u[M,N], t[M,N], x[M,N]; copyin u, t, x;";
  const std::string calls = "} s (u, t, x); copyout x;";
  const std::string first = "stencil s (u, t, x) { t[j][i] = u[j][i] + u[j][i+1];";
  const std::string wanted = "t.1 is read elsewhere than at neighbours";
  const auto refusal = [&](const std::string& boundary, const std::string& second) {
    return Refusal(GraphOf(kHead + boundary + first + second + calls),
                   "block=8,8,1 shared=yes fusion=max");
  };
  CHECK(refusal("", "x[j][i] = t[j][i-1];").empty());
  // A boundary mode moves it to one of a few others, but for these.
  CHECK(refusal("boundary t = clamp;", "x[j][i] = t[j][i-1];").empty());
  CHECK(refusal("boundary t = mirror;", "x[j][i] = t[j-3][i-3];") == wanted);
  CHECK(refusal("", "x[j][i] = t[i][j];") == wanted);
  CHECK(refusal("", "x[j][i] = t[j][2*i];") == wanted);
  CHECK(refusal("", "x[j][i] = t[j][0];") == wanted);
  CHECK(refusal("", "x[j][i] = t[j][N-1];") == wanted);
}

TEST_CASE("operators that do not write their own point are refused") {
  const graph::Graph fixed = StarProgram("double t[M,N]; t[j][i] = u[j][i]; x[0][i] = t[0][i];");
  CHECK_FALSE(Refusal(fixed, "block=8,8,1 shared=yes fusion=max").empty());
  const graph::Graph transposed = StarProgram("x[i][j] = u[i][j] + u[i][j+1];");
  CHECK(Refusal(transposed, "block=8,8,1 shared=yes") == "one does not write its own point");
  const graph::Graph strided = StarProgram("x[2*j][i] = u[j][i] + u[j][i+1];");
  CHECK(Refusal(strided, "block=8,8,1 shared=yes") == "one does not write its own point");
}

TEST_CASE("wishes decide whether neighbours are exchanged") {
  const std::string text = "double t[M,N]; t[j][i] = u[j][i]; x[j][i] = t[j][i-1] + t[j][i];";
  const std::string schedule = "block=8,8,1 shared=yes fusion=max";
  CHECK(Refusal(StarProgram(text), schedule).empty());
  CHECK(Refusal(StarProgram("no-shmem t;" + text), schedule) ==
        "neighbours of t_0.0 may not be in shared memory");
  CHECK(Refusal(StarProgram("gmem t;" + text), schedule) == "t_0.0 is wanted in global memory");
  CHECK(Refusal(StarProgram(text), "block=8,8,1 fusion=max").find("may not be in shared") !=
        std::string::npos);
  // A warp's row needs no shared memory, wish or not.
  CHECK(Refusal(StarProgram("no-shmem t;" + text), "block=32,4,1 shared=yes shuffle=yes fusion=max")
            .empty());
  // Nor do a thread's own points.
  const std::string own = "double t[M,N]; t[j][i] = u[j][i]; x[j][i] = t[j-1][i] + t[j][i];";
  CHECK(Refusal(StarProgram("no-shmem t;" + own), "block=8,1,1 stream=0:0 shared=yes fusion=max")
            .empty());
  const graph::Graph input = StarProgram("x[j][i] = u[j][i] + u[j][i+1];", "gmem u;");
  CHECK(MakeTile(input, schedule).versions.size() == 1);
}

TEST_CASE("a result that is not computed everywhere takes its background along where it is read") {
  const std::string schedule = "block=8,8,1 shared=yes fusion=max";
  const graph::Graph covered = StarProgram(
      "[2:M-3,2:N-3] : w[j][i] = u[j][i]; [3:M-4,3:N-4] : x[j][i] = w[j][i-1] + w[j][i];");
  CHECK_FALSE(MakeTile(covered, schedule).ops[0].background);
  const graph::Graph uncovered = StarProgram(
      "[2:M-3,2:N-3] : w[j][i] = u[j][i]; [2:M-4,2:N-4] : x[j][i] = w[j][i-1] + w[j][i];");
  CHECK(MakeTile(uncovered, schedule).ops[0].background);
  CHECK_FALSE(MakeTile(uncovered, schedule).ops[1].background);
}

}  // namespace
}  // namespace stencilgen::testing
