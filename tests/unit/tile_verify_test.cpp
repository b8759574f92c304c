// The verifier of tiles finds what is broken, whatever the builder does.
#include <functional>
#include <string>
#include <vector>

#include "plan/verify_tile.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::Tile;
using plan::TileStep;
using plan::TileVersion;
using Kind = TileStep::Kind;
using Problems = std::vector<std::string>;

/// A good tile to break.
struct Sample {
  explicit Sample(const std::string& schedule, const std::string& statements = kTwoStars)
      : graph(StarProgram(statements)), tile(MakeTile(graph, schedule)) {
    REQUIRE(VerifyTile(graph, tile) == Problems{});
  }
  TileVersion& Version(const std::string& array) {
    return tile
        .versions[static_cast<std::size_t>(tile.Find(VersionOf(graph, tile, array).version))];
  }
  /// The place of the n-th step of a kind.
  std::size_t Place(Kind kind, int n = 0) const {
    for (std::size_t s = 0; s < tile.steps.size(); ++s) {
      if (tile.steps[s].kind == kind && n-- == 0) return s;
    }
    FAIL("there is no such step");
    return 0;
  }
  void Drop(std::size_t place) {
    tile.steps.erase(tile.steps.begin() + static_cast<std::ptrdiff_t>(place));
  }

  graph::Graph graph;
  Tile tile;
};

/// True where one of the problems is this.
bool Finds(const Sample& sample, const std::string& problem) {
  const Problems problems = VerifyTile(sample.graph, sample.tile);
  INFO(problem << "\nfound: " << fmt::format("{}", fmt::join(problems, "; ")));
  const bool found = std::find(problems.begin(), problems.end(), problem) != problems.end();
  CHECK(found);
  return found;
}

/// Breaks a good tile.
void Break(const std::string& schedule, const std::function<void(Sample&)>& change,
           const std::string& problem) {
  Sample sample(schedule);
  change(sample);
  Finds(sample, problem);
}

TEST_CASE("halos that are too small are found") {
  for (const std::string& schedule : {kPlain, kStream}) {
    Break(
        schedule, [](Sample& s) { --s.Version("u").halo.lo[1]; }, "u.0 is read beyond its halo");
    Break(
        schedule, [](Sample& s) { --s.Version("u").halo.hi[0]; }, "u.0 is read beyond its halo");
    Break(
        schedule, [](Sample& s) { --s.Version("t").halo.hi[1]; }, "t_0.0 is read beyond its halo");
    Break(
        schedule, [](Sample& s) { --s.tile.halo.lo[1]; }, "u.0 is read beyond its halo");
  }
}

TEST_CASE("a tile that stores nothing is found") {
  Break(
      kPlain, [](Sample& s) { s.tile.threads[1] = 4; }, "dimension 1 stores nothing");
}

/// What is wrong with the tile of two statements over u, t and x where tiles at ends do without so
/// much of their halos, which are of 2 points.
Problems ProblemsWith(const plan::Halo& spared, const std::string& boundary = "",
                      const std::string& schedule = kPlain) {
  const auto star = [](const std::string& from, const std::string& to) {
    return fmt::format("{1}[j][i] = {0}[j-1][i] + {0}[j][i-1] + {0}[j][i+1] + {0}[j+1][i];", from,
                       to);
  };
  const graph::Graph graph = GraphOf(
      "parameter M, N; iterator j, i; double u[M,N], t[M,N], x[M,N]; copyin u, t, x;" + boundary +
      "stencil s (u, t, x) {" + star("u", "t") + star("t", "x") + "} s (u, t, x); copyout x;");
  Tile tile = MakeTile(graph, schedule);
  CHECK(tile.halo.lo[1] == 2);
  CHECK(tile.spared == plan::Halo{});
  CHECK(VerifyTile(graph, tile) == Problems{});
  tile.spared = spared;
  return VerifyTile(graph, tile);
}

TEST_CASE("tiles at the ends of arrays that store more than they have are found") {
  // x is stored from 1 to N-2, and arrays have a point on each side.
  CHECK(ProblemsWith({{1, 1, 0}, {1, 1, 0}}) == Problems{});
  const Problems along_x = {"tiles at the ends of dimension 1 need more of their halo"};
  CHECK(ProblemsWith({{0, 2, 0}, {0, 1, 0}}) == along_x);
  CHECK(ProblemsWith({{0, 1, 0}, {0, 2, 0}}) == along_x);
  CHECK(ProblemsWith({{0, -1, 0}, {0, 1, 0}}) == along_x);
  // Beyond the ends are values too.
  CHECK(ProblemsWith({{0, 1, 0}, {0, 0, 0}}, "boundary u = clamp;") == along_x);
  CHECK(ProblemsWith({{0, 0, 0}, {0, 1, 0}}, "boundary u = clamp;") == along_x);
  // A stream has planes there.
  CHECK(ProblemsWith({{1, 0, 0}, {0, 0, 0}}, "", kStream) ==
        Problems{"tiles at the ends of dimension 0 need more of their halo"});
}

TEST_CASE("planes before they are made are found") {
  // What is not there of an input is read from memory; of a result it is an error.
  Break(
      kStream, [](Sample& s) { --s.Version("t").lag; },
      "x.1 reads a plane of t_0.0 that is not there");
  Break(
      kStream, [](Sample& s) { --s.Version("x").lag; },
      "x.1 reads a plane of t_0.0 that is not there");
  Break(
      kStream, [](Sample& s) { ++s.Version("t").lag; },
      "x.1 reads a plane of t_0.0 that is not there");
}

TEST_CASE("planes that are no longer held are found") {
  Break(
      kStream, [](Sample& s) { s.Version("t").planes.pop_back(); },
      "x.1 reads a plane of t_0.0 that is not there");
  Break(
      kStream, [](Sample& s) { s.Version("t").planes[2].registers = false; },
      "x.1 cannot reach t_0.0");
  Break(
      kPlain, [](Sample& s) { s.Version("t").planes[0].shared = false; }, "x.1 cannot reach t_0.0");
  Break(
      kStream, [](Sample& s) { s.Version("u").planes[1].registers = false; },
      "u.0 is not in registers before it is published");
  Break(
      kStream, [](Sample& s) { s.Version("u").planes[1].registers = false; },
      "u.0 comes back to registers");
}

TEST_CASE("shared memory that is too small is found") {
  const std::string box =
      "x[j][i] = u[j-1][i-1] + u[j-1][i+1] + u[j][i-1] + u[j][i+1] + u[j+1][i-1];";
  Sample sample(kStream, box);
  REQUIRE(SharedAges(sample.Version("u")).size() == 3);
  sample.Version("u").slots = 2;
  Finds(sample, "u.0 has too little shared memory");
}

TEST_CASE("missing barriers are found") {
  for (const std::string& schedule : {kPlain, kStream}) {
    const int count = plan::CountBarriers(Sample(schedule).tile);
    REQUIRE(count > 0);
    for (int n = 0; n < count; ++n) {
      Break(
          schedule, [&](Sample& s) { s.Drop(s.Place(Kind::Barrier, n)); }, "a barrier is missing");
    }
  }
  Break(
      kStream, [](Sample& s) { s.Version("u").slots = 1; }, "a barrier is missing");
}

TEST_CASE("steps in the wrong order are found") {
  const auto exchange = [](std::size_t a, std::size_t b) {
    return [a, b](Sample& s) { std::swap(s.tile.steps[a], s.tile.steps[b]); };
  };
  const Sample good(kPlain);
  Break(kPlain, exchange(good.Place(Kind::Compute, 0), good.Place(Kind::Compute, 1)),
        "t_0.0 is read before it is made");
  Break(kPlain, exchange(good.Place(Kind::Load), good.Place(Kind::Publish)),
        "u.0 is published before it is made");
  Break(kPlain, exchange(good.Place(Kind::Compute, 1), good.Place(Kind::Store)),
        "a store comes too early");
  Break(
      kPlain, [](Sample& s) { s.Drop(s.Place(Kind::Publish, 1)); },
      "t_0.0 is read before it is made");
  Break(
      kPlain, [](Sample& s) { s.Drop(s.Place(Kind::Load)); }, "u.0 is published before it is made");
}

}  // namespace
}  // namespace stencilgen::testing
