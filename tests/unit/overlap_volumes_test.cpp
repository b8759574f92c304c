// The volumes of overlapped tiles against Rawat's tables: 3.1 as formulas, 3.2 as numbers.
#include "plan/overlap_volumes.h"

#include <cmath>
#include <vector>

#include "support/catch.h"

using namespace stencilgen::plan;
using namespace stencilgen::machine;

namespace {

/// Table 3.1's sliding window with 2D tiles, and its 3D tiles, for one block and all blocks.
struct Table31 {
  double loads = 0, load_transactions = 0, stores = 0, store_transactions = 0;
  double computed = 0, redundant = 0;
};

Table31 SlidingWindow(double n, double b, double t, double k) {
  constexpr double kWarp = 32;
  const double inner = b - 2 * t * k;
  const double blocks = std::pow((n - 2 * t * k) / inner, 2);
  Table31 table;
  table.loads = blocks * n * b * b;
  table.load_transactions = blocks * n * b * std::ceil(b / kWarp);
  table.stores = blocks * (n - 2 * t * k) * inner * inner;
  table.store_transactions = blocks * (n - 2 * t * k) * inner * std::ceil(inner / kWarp);
  for (int i = 1; i <= static_cast<int>(t); ++i) {
    const double points = (n - 2 * i * k) * std::pow(b - 2 * i * k, 2);
    table.computed += blocks * points;
    table.redundant += blocks * (points - (n - 2 * t * k) * inner * inner);
  }
  return table;
}

Table31 Tiles(double n, double b, double t, double k) {
  constexpr double kWarp = 32;
  const double inner = b - 2 * t * k;
  const double blocks = std::pow((n - 2 * t * k) / inner, 3);
  Table31 table;
  table.loads = blocks * b * b * b;
  table.load_transactions = blocks * b * b * std::ceil(b / kWarp);
  table.stores = blocks * inner * inner * inner;
  table.store_transactions = blocks * inner * inner * std::ceil(inner / kWarp);
  for (int i = 1; i <= static_cast<int>(t); ++i) {
    const double points = std::pow(b - 2 * i * k, 3);
    table.computed += blocks * points;
    table.redundant += blocks * (points - inner * inner * inner);
  }
  return table;
}

void CheckEqual(const OverlapVolumes& volumes, const Table31& table) {
  CHECK(volumes.loads == Approx(table.loads));
  CHECK(volumes.load_transactions == Approx(table.load_transactions));
  CHECK(volumes.stores == Approx(table.stores));
  CHECK(volumes.store_transactions == Approx(table.store_transactions));
  CHECK(volumes.computed == Approx(table.computed));
  CHECK(volumes.redundant == Approx(table.redundant));
}

StepChain Chain(int order, int steps, std::int64_t tile = 32) {
  StepChain chain;
  chain.order = order;
  chain.steps = steps;
  chain.tile = {tile, tile, tile};
  chain.stream = 0;
  return chain;
}

/// T_max of `all` steps, so many of them in a kernel; infinite where a tile has no room.
double Seconds(const Gpu& device, int order, double flops, int all, int degree) {
  StepChain chain = Chain(order, degree);
  chain.flops = flops;
  const auto volumes = FindVolumes(chain);
  if (!volumes) return INFINITY;
  return static_cast<double>(all / degree) * LongestSeconds(*volumes, device, false);
}

int BestDegree(const Gpu& device, int order, double flops, int all,
               const std::vector<int>& degrees) {
  int best = 1;
  for (const int degree : degrees) {
    if (Seconds(device, order, flops, all, degree) < Seconds(device, order, flops, all, best)) {
      best = degree;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("volumes are those of Table 3.1") {
  for (const int order : {1, 2, 3}) {
    for (const int steps : {1, 2, 4}) {
      for (const std::int64_t tile : {32, 64, 80}) {
        INFO("k=" << order << " T=" << steps << " B=" << tile);
        StepChain chain = Chain(order, steps, tile);
        const auto size = static_cast<double>(chain.size);
        CheckEqual(*FindVolumes(chain),
                   SlidingWindow(size, static_cast<double>(tile), steps, order));
        chain.stream.reset();
        CheckEqual(*FindVolumes(chain), Tiles(size, static_cast<double>(tile), steps, order));
      }
    }
  }
}

TEST_CASE("volumes are the numbers of Table 3.2: four operators over 512 cubed points") {
  struct Row {
    int order, degree;
    double loads, stores, redundant;
  };
  const std::vector<Row> rows = {
      {1, 1, 18939904, 17686800, 0},        {1, 2, 10786022, 9364037, 39978854},
      {1, 4, 7225344, 5334336, 144831456},  {2, 1, 21572044, 18728073, 0},
      {2, 2, 14450688, 10668672, 95227776}, {2, 4, 15745024, 7626496, 487849728},
      {4, 1, 28901376, 21337344, 0},        {4, 2, 31490048, 15252992, 313916416}};
  for (const Row& row : rows) {
    INFO("k=" << row.order << " degree=" << row.degree);
    const OverlapVolumes volumes = *FindVolumes(Chain(row.order, row.degree));
    const double kernels = 4.0 / row.degree;
    // The table's numbers are cut to integers, some before they were added up.
    CHECK(kernels * volumes.load_transactions == Approx(row.loads).margin(4));
    CHECK(kernels * volumes.store_transactions == Approx(row.stores).margin(4));
    CHECK(kernels * volumes.redundant == Approx(row.redundant).margin(4));
  }
  // The table has no fourth degree for order 4: the tile has no room.
  CHECK_FALSE(FindVolumes(Chain(4, 4)).has_value());
}

TEST_CASE("T_max on the K20c picks the degree of fusion of Table 3.2 for each order") {
  const Gpu& k20c = *FindGpu("sm_35");
  // Flops of the 7-, 13- and 25-point stars.
  CHECK(BestDegree(k20c, 1, 13, 4, {1, 2, 4}) == 4);
  CHECK(BestDegree(k20c, 2, 25, 4, {1, 2, 4}) == 2);
  CHECK(BestDegree(k20c, 4, 49, 4, {1, 2, 4}) == 1);
}

TEST_CASE("T_max on the K20c picks degree 2 for 12 steps of the 13-point stencil, as Figure 3.7") {
  CHECK(BestDegree(*FindGpu("sm_35"), 2, 25, 12, {1, 2, 3, 4, 6}) == 2);
}

TEST_CASE("volumes of other schemes and dimensions") {
  SECTION("one dimension: 4 blocks of 28 points, 3 steps of order 1") {
    StepChain chain;
    chain.dimensions = 1;
    chain.size = 118;
    chain.tile = {34, 1, 1};
    chain.steps = 3;
    const OverlapVolumes volumes = *FindVolumes(chain);
    CHECK(volumes.loads == Approx(4 * 34));
    CHECK(volumes.load_transactions == Approx(4 * 2));
    CHECK(volumes.stores == Approx(112));
    CHECK(volumes.store_transactions == Approx(4));
    CHECK(volumes.computed == Approx(4 * (32 + 30 + 28)));
    CHECK(volumes.redundant == Approx(4 * (4 + 2)));
    CHECK(volumes.flops == Approx(volumes.computed));
    CHECK(volumes.transaction_bytes == Approx((8 + 4) * 32 * 4));
  }
  SECTION("two dimensions, streamed in chunks: planes around a chunk are loaded and made twice") {
    StepChain chain;
    chain.dimensions = 2;
    chain.size = 104;  // two steps of order 1 leave 100
    chain.tile = {1, 54, 1};
    chain.steps = 2;
    chain.stream = 0;
    chain.chunk = 25;
    const OverlapVolumes volumes = *FindVolumes(chain);
    CHECK(volumes.loads == Approx(2 * 4 * 54 * 29));
    CHECK(volumes.load_transactions == Approx(2 * 4 * 2 * 29));
    CHECK(volumes.stores == Approx(100 * 100));
    CHECK(volumes.computed == Approx(2 * 4 * (52 * 27 + 50 * 25)));
    CHECK(volumes.redundant == Approx(2 * 4 * (52 * 27 - 50 * 25)));
    // Serially, only the tiles' halos are.
    chain.chunk = 0;
    CHECK(FindVolumes(chain)->loads == Approx(2 * 54 * 104));
    CHECK(FindVolumes(chain)->computed == Approx(2 * (52 * 102 + 50 * 100)));
  }
}

TEST_CASE("an operator on part of the points counts as what it computes") {
  OverlapCut cut;
  cut.dimensions = 2;
  cut.stored = {100, 100};
  cut.tile = {10, 10};
  OverlapPoints all;
  all.extent = {100, 100, 1};
  all.bytes = 8;
  OverlapPoints wall = all;
  wall.extent = {1, 100, 1};
  const OverlapVolumes volumes = FindVolumes(cut, {wall}, {all, wall}, {all});
  CHECK(volumes.computed == Approx(100 * 100 + 100));
  CHECK(volumes.redundant == Approx(0));
  CHECK(volumes.loads == Approx(100));
}
