// Where planes are held, what shares memory, and that the barriers are the fewest.
#include <string>
#include <vector>

#include "plan/published.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::ReadPath;
using plan::Tile;
using plan::TileRead;
using plan::TileStep;
using plan::TileVersion;
using Kind = TileStep::Kind;
using Numbers = std::vector<int>;

TEST_CASE(
    "without a stream a version has one plane, in registers and where others read it shared") {
  const graph::Graph graph = StarProgram(
      "double t[M,N], p[M,N]; t[j][i] = u[j][i] + u[j][i-1]; p[j][i] = t[j][i] * t[j][i];"
      "x[j][i] = t[j+1][i] + p[j][i];");
  const Tile tile = MakeTile(graph, "block=8,8,1 shared=yes fusion=max");
  for (const TileVersion& version : tile.versions) CHECK(RegisterAges(version) == Numbers{0});
  CHECK(SharedAges(VersionOf(graph, tile, "u")) == Numbers{0});
  CHECK(SharedAges(VersionOf(graph, tile, "t")) == Numbers{0});
  CHECK(SharedAges(VersionOf(graph, tile, "p")).empty());
  CHECK(SharedAges(VersionOf(graph, tile, "x")).empty());
}

TEST_CASE("a star along the stream shares its middle plane alone") {
  const graph::Graph graph = StarProgram(kTwoStars);
  const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  for (const char* array : {"u", "t"}) {
    CHECK(RegisterAges(VersionOf(graph, tile, array)) == Numbers{0, 1, 2});
    CHECK(SharedAges(VersionOf(graph, tile, array)) == Numbers{1});
  }
  CHECK(RegisterAges(VersionOf(graph, tile, "x")) == Numbers{0});
}

TEST_CASE("a box along the stream shares every plane and keeps none in registers") {
  const graph::Graph graph =
      StarProgram("x[j][i] = u[j-1][i-1] + u[j-1][i+1] + u[j][i-1] + u[j+1][i+1];");
  const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  const TileVersion& u = VersionOf(graph, tile, "u");
  CHECK(SharedAges(u) == Numbers{0, 1, 2});
  CHECK(RegisterAges(u) == Numbers{0});
  CHECK(u.slots >= 3);
}

TEST_CASE("planes are in shared memory from the first age at which others read them to the last") {
  const graph::Graph graph =
      StarProgram("x[j][i] = u[j+2][i] + u[j+1][i-1] + u[j][i] + u[j-1][i+1] + u[j-2][i];");
  const Tile tile = MakeTile(graph, "block=16,1,1 stream=0:0 shared=yes fusion=max");
  const TileVersion& u = VersionOf(graph, tile, "u");
  CHECK(SharedAges(u) == Numbers{1, 2, 3});
  CHECK(RegisterAges(u) == Numbers{0, 1, 2, 3, 4});
  CHECK(u.reach == std::array<std::int64_t, 3>{0, 1, 0});
}

TEST_CASE("a thread's own points come from registers, also those of its other points") {
  const graph::Graph graph = StarProgram("x[j][i] = u[j][i-1] + u[j][i] + u[j][i+1];");
  const Tile tile = MakeTile(graph, "block=8,8,1 unroll=3,1,1 shared=yes");
  const int u = tile.Find(VersionOf(graph, tile, "u").version);
  const auto path = [&](std::int64_t offset, int point) {
    return PathOf(tile, TileRead{u, 0, {0, offset, 0}}, {0, point, 0});
  };
  CHECK(path(-1, 0) == ReadPath::Shared);
  CHECK(path(-1, 1) == ReadPath::Register);
  CHECK(path(0, 2) == ReadPath::Register);
  CHECK(path(1, 1) == ReadPath::Register);
  CHECK(path(1, 2) == ReadPath::Shared);
}

TEST_CASE("a thread publishes the points that others read, and whole vectors") {
  const auto published = [](const std::string& text, const std::string& schedule) {
    const graph::Graph graph = StarProgram(text);
    const Tile tile = MakeTile(graph, schedule);
    return FindPublished(
        graph, tile)[static_cast<std::size_t>(tile.Find(VersionOf(graph, tile, "u").version))];
  };
  using Points = std::vector<bool>;
  const std::string row = "x[j][i] = u[j][i-1] + u[j][i] + u[j][i+1];";
  CHECK(published(row, "block=8,8,1 unroll=3,1,1 shared=yes") == Points{true, false, true});
  CHECK(published(row, "block=8,8,1 unroll=4,1,1 shared=yes") == Points{true, true, true, true});
  const std::string star = "x[j][i] = u[j-1][i] + u[j][i-1] + u[j][i] + u[j][i+1] + u[j+1][i];";
  CHECK(published(star, "block=32,4,1 unroll=1,4,1 shared=yes shuffle=yes") ==
        Points{true, false, false, true});
  CHECK(published(star, "block=32,4,1 unroll=1,4,1 shared=yes") == Points(4, true));
  const std::string up = "x[j][i] = u[j-1][i] + u[j][i];";
  CHECK(published(up, "block=32,4,1 unroll=1,3,1 shared=yes") == Points{false, false, true});
}

TEST_CASE("neighbours along x come by shuffles where a row lies in a warp") {
  const graph::Graph graph =
      StarProgram("x[j][i] = u[j][i-1] + u[j][i] + u[j][i+1] + w[j-1][i] + w[j+1][i];");
  const Tile rows = MakeTile(graph, "block=16,4,1 shared=yes shuffle=yes");
  CHECK(rows.shuffle);
  CHECK(SharedAges(VersionOf(graph, rows, "u")).empty());
  CHECK(SharedAges(VersionOf(graph, rows, "w")) == Numbers{0});
  const int u = rows.Find(VersionOf(graph, rows, "u").version);
  CHECK(PathOf(rows, TileRead{u, 0, {0, 1, 0}}, {0, 0, 0}) == ReadPath::Shuffle);
  // 24 threads are no whole warp, and rows of 12 would lie across two.
  for (const char* block : {"block=8,3,1", "block=12,8,1"}) {
    const Tile none = MakeTile(graph, std::string(block) + " shared=yes shuffle=yes");
    CHECK_FALSE(none.shuffle);
    CHECK(SharedAges(VersionOf(graph, none, "u")) == Numbers{0});
  }
}

TEST_CASE("without a stream, planes take turns in two regions") {
  const graph::Graph graph = StarProgram(
      "double a[M,N], b[M,N], c[M,N]; a[j][i] = u[j][i-1] + u[j][i]; b[j][i] = a[j][i-1] + a[j][i];"
      "c[j][i] = b[j][i-1] + b[j][i]; x[j][i] = c[j][i-1] + c[j][i];");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes fusion=max");
  CHECK(tile.regions.size() == 2);
  const auto region = [&](const char* array) { return VersionOf(graph, tile, array).region; };
  CHECK(region("u") == region("b"));
  CHECK(region("a") == region("c"));
  CHECK(region("u") != region("a"));
  CHECK(plan::CountBarriers(tile) == 4);
  CHECK(tile.shared_bytes == 2 * tile.regions[0].plane_elements * 8);
}

TEST_CASE("a plane that is read again later keeps its region") {
  const graph::Graph graph = StarProgram(
      "double a[M,N], b[M,N]; a[j][i] = u[j][i-1] + u[j][i]; b[j][i] = a[j][i-1] + a[j][i];"
      "x[j][i] = b[j][i-1] + b[j][i] + u[j][i+1];");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes fusion=max");
  const int region = VersionOf(graph, tile, "u").region;
  for (const char* later : {"a", "b"}) CHECK(VersionOf(graph, tile, later).region != region);
  // Nor do the others take turns in one: that would cost a barrier.
  CHECK(tile.regions.size() == 3);
  CHECK(plan::CountBarriers(tile) == 3);
}

TEST_CASE("types do not share a region") {
  const graph::Graph graph = GraphOf(
      "parameter M, N; iterator j, i; double u[M,N], x[M,N]; float f[M,N]; copyin u, f, x;"
      "stencil s (u, f, x) { double a[M,N], c[M,N]; float b[M,N]; a[j][i] = u[j][i-1] + u[j][i];"
      "b[j][i] = a[j][i-1] + a[j][i] + f[j][i]; c[j][i] = b[j][i-1] + b[j][i];"
      "x[j][i] = c[j][i-1] + c[j][i]; } s (u, f, x); copyout x;");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes fusion=max");
  const auto region = [&](const char* array) { return VersionOf(graph, tile, array).region; };
  CHECK(region("b") != region("u"));
  CHECK(region("b") != region("a"));
  for (const plan::SharedRegion& each : tile.regions) CHECK(each.byte_offset % 16 == 0);
}

/// What the step does, in its order.
std::vector<Kind> KindsOf(const Tile& tile) {
  std::vector<Kind> kinds;
  for (const TileStep& step : tile.steps) kinds.push_back(step.kind);
  return kinds;
}

TEST_CASE("a tile loads, publishes, waits, computes and stores") {
  const graph::Graph graph = StarProgram("x[j][i] = u[j][i-1] + u[j][i];");
  const Tile tile = MakeTile(graph, "block=16,8,1 shared=yes");
  CHECK(KindsOf(tile) ==
        std::vector<Kind>{Kind::Load, Kind::Publish, Kind::Barrier, Kind::Compute, Kind::Store});
  const graph::Graph pointwise = StarProgram("x[j][i] = u[j][i] * u[j][i] + u[j][i];");
  CHECK(plan::CountBarriers(MakeTile(pointwise, "block=16,8,1 shared=yes unroll=2,1,1")) == 0);
}

TEST_CASE("a second plane saves the barrier that keeps readers and the next writer apart") {
  const graph::Graph graph = StarProgram("x[j][i] = u[j][i-1] + u[j][i] + u[j+1][i] + u[j-1][i];");
  const std::string schedule = "block=16,1,1 stream=0:0 shared=yes";
  const Tile roomy = MakeTile(graph, schedule);
  CHECK(VersionOf(graph, roomy, "u").slots == 2);
  CHECK(plan::CountBarriers(roomy) == 1);
  const std::int64_t one_plane = roomy.regions[0].plane_elements * 8;
  const Tile narrow = MakeTile(graph, schedule + fmt::format(" limit={}", one_plane + 8));
  CHECK(VersionOf(graph, narrow, "u").slots == 1);
  CHECK(plan::CountBarriers(narrow) == 2);
}

TEST_CASE("no barrier can be left out of a tile") {
  const std::vector<std::string> programs = {
      kTwoStars,
      "x[j][i] = u[j-1][i-1] + u[j-1][i+1] + u[j][i-1] + u[j+1][i+1];",
      "double t[M,N]; t[j][i] = u[j-1][i-1] + u[j][i] + u[j+1][i+1] + w[j][i-2] + w[j][i];"
      "x[j][i] = t[j-1][i-1] + t[j][i] + t[j+1][i+1] + u[j][i+1];",
      "double a[M,N], b[M,N], c[M,N]; a[j][i] = u[j][i-1] + u[j][i]; b[j][i] = a[j][i-1] + a[j][i];"
      "c[j][i] = b[j][i-1] + b[j][i]; x[j][i] = c[j][i-1] + c[j][i];",
  };
  const std::vector<std::string> schedules = {"block=16,12,1",
                                              "block=16,1,1 stream=0:0",
                                              "block=16,1,1 stream=0:4 barriers=step",
                                              "block=16,1,1 stream=0:0 prefetch=register",
                                              "block=16,12,1 unroll=2,3,1",
                                              "block=16,1,1 unroll=2,1,1 stream=0:0",
                                              "block=16,1,1 stream=0:0 limit=1100"};
  int barriers = 0;
  for (const std::string& program : programs) {
    const graph::Graph graph = StarProgram(program);
    for (const std::string& schedule : schedules) {
      INFO(program << "\n" << schedule);
      const auto built = TryTile(graph, ScheduleOf(schedule + " shared=yes fusion=max"));
      if (!std::holds_alternative<Tile>(built)) continue;
      const Tile& tile = std::get<Tile>(built);
      const auto reads = ReadsOf(graph, tile);
      CHECK_FALSE(plan::HasHazard(reads, tile));
      for (std::size_t n = 0; n < tile.steps.size(); ++n) {
        if (tile.steps[n].kind != Kind::Barrier) continue;
        Tile less = tile;
        less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK(plan::HasHazard(reads, less));
        ++barriers;
      }
    }
  }
  CHECK(barriers > 30);
}

}  // namespace
}  // namespace stencilgen::testing
