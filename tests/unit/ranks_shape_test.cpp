// How ranks share the points of a grid.
#include <algorithm>
#include <vector>

#include <stencilgen/ranks.hpp>

#include "support/catch.h"

namespace {

using stencilgen::ranks::Axis;
using stencilgen::ranks::ChooseShape;
using stencilgen::ranks::MostRanks;
using stencilgen::ranks::Part;
using stencilgen::ranks::PartOf;
using Shape = std::vector<int>;

Axis AxisOf(long long points, long long ghosts, bool unit_stride = false, bool periodic = false) {
  return {"j", points, periodic, unit_stride, ghosts, ghosts};
}

}  // namespace

TEST_CASE("parts cover the points, and differ by one at most") {
  for (const long long points : {1, 7, 12, 100, 101}) {
    for (long long ranks = 1; ranks <= std::min(points, 9LL); ++ranks) {
      long long next = 0;
      for (long long n = 0; n < ranks; ++n) {
        const Part part = PartOf(AxisOf(points, 2), ranks, n);
        CHECK(part.lo == next);
        CHECK(part.hi - part.lo >= points / ranks);
        CHECK(part.hi - part.lo <= (points + ranks - 1) / ranks);
        CHECK(part.first == (n == 0 ? 0 : part.lo - 2));
        CHECK(part.end == (n + 1 == ranks ? points : part.hi + 2));
        next = part.hi;
      }
      CHECK(next == points);
    }
  }
}

TEST_CASE("arrays that wrap around have ghosts at their ends") {
  const Part part = PartOf(AxisOf(10, 3, false, true), 1, 0);
  CHECK(part.first == -3);
  CHECK(part.end == 13);
}

TEST_CASE("shapes have the least surface, and no rows in pieces where others fit") {
  const std::vector<Axis> cube = {AxisOf(64, 1), AxisOf(64, 1), AxisOf(64, 1, true)};
  CHECK(ChooseShape(cube, {0, 0, 0}, 1) == Shape{1, 1, 1});
  CHECK(ChooseShape(cube, {0, 0, 0}, 4) == Shape{2, 2, 1});
  CHECK(ChooseShape(cube, {0, 0, 0}, 16) == Shape{4, 4, 1});
  CHECK(ChooseShape(cube, {0, 0, 2}, 8) == Shape{2, 2, 2});
  const std::vector<Axis> plate = {AxisOf(1000, 1), AxisOf(10, 1)};
  CHECK(ChooseShape(plate, {0, 0}, 4) == Shape{4, 1});
  // Rows in pieces where nothing else fits.
  const std::vector<Axis> flat = {AxisOf(3, 2), AxisOf(64, 2, true)};
  CHECK(ChooseShape(flat, {0, 0}, 4) == Shape{1, 4});
}

TEST_CASE("ranks with fewer points than ghosts do not fit") {
  const std::vector<Axis> small = {AxisOf(8, 4), AxisOf(7, 4, true)};
  CHECK(ChooseShape(small, {0, 0}, 2) == Shape{2, 1});
  CHECK(ChooseShape(small, {1, 2}, 2).empty());
  CHECK(ChooseShape(small, {0, 0}, 6).empty());
  CHECK(ChooseShape(small, {3, 3}, 6).empty());
  CHECK(MostRanks(small, 6) == 2);
  CHECK(MostRanks({AxisOf(3, 4, false, true)}, 6) == 0);
}

TEST_CASE("turns are shared out evenly, with no more exchanges than there must be") {
  using stencilgen::ranks::EvenTurns;
  CHECK(EvenTurns(100, 32) == 26);
  CHECK(EvenTurns(34, 32) == 18);
  CHECK(EvenTurns(7, 8) == 7);
  CHECK(EvenTurns(32, 32) == 32);
  CHECK(EvenTurns(0, 8) == 1);
  for (const long long most : {1, 2, 5, 32}) {
    for (long long all = 1; all < 100; ++all) {
      const long long turns = EvenTurns(all, most);
      CHECK(turns <= most);
      CHECK((all + turns - 1) / turns == (all + most - 1) / most);
    }
  }
}
