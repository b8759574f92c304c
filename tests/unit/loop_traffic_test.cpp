// What loops move: between looks at a condition, and with swaps as in place.
#include "support/catch.h"
#include "traffic_case.h"

namespace stencilgen::testing {
namespace {

const char* const kLeapfrog =
    "parameter M, N, T; iterator j, i; double p[M,N], u[M,N]; copyin p, u; stencil s (P, A) {"
    "P[j][i] = 1.5*A[j][i] - P[j][i] + 0.1*(A[j-1][i] + A[j][i-1] + A[j][i+1] + A[j+1][i]); }"
    "iterate T { s (p, u); swap p, u; } copyout u;";
const char* const kTwoFields =
    "parameter M, N, T; iterator j, i; double a[M,N], b[M,N]; copyin a, b; stencil s (A, B) {"
    "A[j][i] = A[j][i] + 0.1*(B[j-1][i] - B[j][i]);"
    "B[j][i] = B[j][i] + 0.1*(A[j][i+1] - A[j][i]); } iterate T { s (a, b); } copyout a, b;";

TEST_CASE("between two looks at a condition three turns move memory once") {
  // A block has all of the array.
  const auto count = [](int time_tile) {
    const Case c = {"until", kUntil, Tiled({32, 8, 1}, {1, 4, 1}), time_tile, {}};
    Built built;
    Build(c, built);
    return Run(built, {24, 24, 20});
  };
  constexpr std::uint64_t kWord = sizeof(double);
  constexpr std::uint64_t kRow = 22;
  constexpr std::uint64_t kAll = 24 * 24, kInside = kRow * kRow, kFrame = kAll - kInside;
  // 10 turns one by one, and a look, which reads what they have left: each point has a lane, of
  // which a row is left, and one value.
  const driver::Counters single = count(1);
  CHECK(single.global_load_bytes == 2 * kWord * (10 * kAll + 2 * kInside + kInside + kRow));
  CHECK(single.global_store_bytes == 2 * kWord * (10 * kInside + kInside + kRow + 1));
  // 9 turns in three tiles, which take the frame of v with them. The tenth turn looks: it adds to
  // its lane what it has in registers, and reads neighbours from caches.
  const driver::Counters tiles = count(3);
  CHECK(tiles.global_load_bytes ==
        2 * kWord * (3 * (kAll + kFrame) + 5 * kInside + kInside + kRow));
  CHECK(tiles.global_store_bytes == 2 * kWord * (3 * kInside + kInside + kInside + kRow + 1));
}

/// Bytes that one time tile moves: what three take more than one, halved.
struct Moved {
  std::uint64_t loads = 0, stores = 0;
};
template <typename CountsT>
Moved Between(const CountsT& few, const CountsT& more, std::uint64_t CountsT::*loads,
              std::uint64_t CountsT::*stores) {
  return {(more.*loads - few.*loads) / 2, (more.*stores - few.*stores) / 2};
}

constexpr int kRows = 201;
constexpr int kColumns = 187;

Moved PredictTimeTile(const Case& c) {
  const plan::Plan plan = Compile(c).plan;
  const auto predict = [&](int turns) {
    Counts counts;
    Predict(plan, plan.steps, {kRows, kColumns, turns}, 1, counts);
    return counts;
  };
  return Between(predict(c.time_tile), predict(3 * c.time_tile), &Counts::load_bytes,
                 &Counts::store_bytes);
}

Moved CountTimeTile(const Case& c) {
  Built built;
  Build(c, built);
  const driver::Counters few = Run(built, {kRows, kColumns, c.time_tile});
  const driver::Counters more = Run(built, {kRows, kColumns, 3 * c.time_tile});
  return Between(few, more, &driver::Counters::global_load_bytes,
                 &driver::Counters::global_store_bytes);
}

/// The same but for what lies around the points that are computed, which halos read several times.
/// A whole array would be three times that or more.
void CheckSame(const Moved& in_place, const Moved& swapped, std::uint64_t arrays) {
  const std::uint64_t few = 8 * arrays * 2 * (kRows + kColumns) * sizeof(double);
  CHECK(swapped.stores <= in_place.stores + few);
  CHECK(in_place.stores <= swapped.stores + few);
  CHECK(swapped.loads <= in_place.loads + few);
  CHECK(in_place.loads <= swapped.loads + few);
}

/// A program in both forms, and how many arrays there are of which one form needs only the frame.
struct Forms {
  const char* name;
  const char* in_place;
  const char* swapped;
  std::uint64_t arrays;
};
const std::vector<Forms> kForms = {{"one field", kStar2d, kSwapped2d, 1},
                                   {"two levels", kLeapfrog, kThreeLevels, 1},
                                   {"two fields", kTwoFields, kTwoSwapped, 2}};

TEST_CASE("steps that swap arrays are planned to move what steps in place do") {
  plan::Schedule plain;
  plain.block = {32, 4, 1};
  for (const Forms& each : kForms) {
    for (const plan::Schedule& schedule :
         {plain, Tiled({16, 16, 1}), Streamed(Tiled({32, 1, 1}), 30), Streamed(plain, 30)}) {
      for (const int steps : {1, 2, 3, 4}) {
        INFO(each.name << ", " << steps << " steps");
        CheckSame(PredictTimeTile({each.name, each.in_place, schedule, steps, {}}),
                  PredictTimeTile({each.name, each.swapped, schedule, steps, {}}), each.arrays);
      }
    }
  }
}

TEST_CASE("steps that swap arrays move what steps in place do") {
  const Forms& forms = kForms.front();
  const plan::Schedule schedule = Streamed(Tiled({32, 1, 1}), 30);
  CheckSame(CountTimeTile({forms.name, forms.in_place, schedule, 2, {}}),
            CountTimeTile({forms.name, forms.swapped, schedule, 2, {}}), forms.arrays);
}

}  // namespace
}  // namespace stencilgen::testing
