// The kernels of Rawat, Optimization of Stencil Computations on GPUs (OSU 2018), listings B.2 to
// B.5: two steps of a 5-point star. Ours need at most what those do.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "plan/print.h"
#include "tile_test_tools.h"

namespace stencilgen::testing {
namespace {

using plan::Tile;
using plan::TileVersion;

graph::Graph TwoSteps() {
  std::ifstream file(STENCILGEN_SOURCE_DIR "/examples/j2d5pt_two_steps/j2d5pt_two_steps.idsl");
  return GraphOf({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

/// Through the planner, as the command line does.
Tile OnlyTile(const std::string& schedule) {
  driver::PipelineOptions options;
  options.schedule = ScheduleOf(schedule);
  options.unroll_given = {true, true, true};
  const plan::Plan plan = driver::CompileToPlan(TwoSteps(), options);
  INFO(plan::Print(plan));
  REQUIRE(plan.kernels.size() == 1);
  const plan::Kernel& kernel = *plan.kernels.begin();
  REQUIRE(kernel.tile);
  CHECK(kernel.tile->ops.size() == 2);
  return *kernel.tile;
}

/// Planes that a thread takes from one step of the stream to the next: those of ages that some
/// later step has in registers again.
int CarriedPlanes(const TileVersion& version) {
  int oldest = 0;
  for (std::size_t age = 0; age < version.planes.size(); ++age) {
    if (version.planes[age].registers) oldest = static_cast<int>(age);
  }
  return oldest;
}

TEST_CASE("listing B.2: shared memory without a stream") {
  const Tile tile = OnlyTile("block=16,8,1 shared=yes fusion=max");
  // Theirs: in_shm, t_shm, two barriers, each block stores 12 x 4 points of 16 x 8.
  CHECK(tile.regions.size() <= 2);
  CHECK(plan::CountBarriers(tile) <= 2);
  CHECK(tile.Stored(0) >= 4);
  CHECK(tile.Stored(1) >= 12);
  for (const TileVersion& version : tile.versions) CHECK(CarriedPlanes(version) == 0);
}

/// Theirs, of B.3 to B.5: in_shm_c0 and t_shm_m1; in_reg_m1 and in_reg_p1, t_reg_m2 and t_reg_c0;
/// three barriers a step.
void CheckStreamed(const Tile& tile) {
  REQUIRE(tile.stream == std::size_t{0});
  CHECK(tile.regions.size() <= 2);
  for (const TileVersion& version : tile.versions) CHECK(CarriedPlanes(version) <= 2);
  // Ours has one barrier instead of three: a second plane in each of the two shared arrays lets
  // the next step's planes be published while this step's are still read, and both planes that a
  // step reads from others are published together.
  CHECK(plan::CountBarriers(tile) == 1);
  for (const plan::SharedRegion& region : tile.regions) CHECK(region.slots <= 2);
}

TEST_CASE("listing B.3: serial streaming") {
  const Tile tile = OnlyTile("block=16,1,1 stream=0:0 shared=yes fusion=max");
  CheckStreamed(tile);
  CHECK(tile.Stored(1) >= 12);
}

TEST_CASE("listing B.4: concurrent streaming") {
  const Tile tile = OnlyTile("block=16,1,1 stream=0:8 shared=yes fusion=max");
  CheckStreamed(tile);
  CHECK(tile.chunk == 8);
}

TEST_CASE("listing B.5: two points a thread and serial streaming") {
  const Tile tile = OnlyTile("block=16,1,1 unroll=2,1,1 stream=0:0 shared=yes fusion=max");
  CheckStreamed(tile);
  CHECK(tile.Points() == 2);
  CHECK(tile.Stored(1) >= 28);
}

TEST_CASE("with no more shared memory than the listings, streams need at most their barriers") {
  // One plane of each shared array: 16 points and one beyond on either side.
  const std::int64_t two_planes = 2 * (16 + 2) * 8;
  const Tile tile =
      OnlyTile(fmt::format("block=16,1,1 stream=0:0 shared=yes fusion=max limit={}", two_planes));
  for (const plan::SharedRegion& region : tile.regions) CHECK(region.slots == 1);
  // Two: theirs also waits between the two levels, which read what was published before either.
  CHECK(plan::CountBarriers(tile) == 2);
  for (const TileVersion& version : tile.versions) CHECK(CarriedPlanes(version) <= 2);
}

}  // namespace
}  // namespace stencilgen::testing
