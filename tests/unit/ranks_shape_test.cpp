// How ranks share the points of a grid.
#include <algorithm>
#include <vector>

#include <stencilgen/halo.hpp>
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

TEST_CASE("places have their neighbours, around where arrays wrap around") {
  using stencilgen::ranks::Places;
  const Places places({AxisOf(12, 1), AxisOf(9, 1, true, true)}, {2, 3});
  CHECK(places.ranks() == 6);
  CHECK(places.PlaceOf(5, 0) == 1);
  CHECK(places.PlaceOf(5, 1) == 2);
  CHECK(places.PartsOf(5)[0].lo == 6);
  CHECK(places.PartsOf(5)[1].lo == 6);
  CHECK(places.Neighbour(5, {-1, 0}) == 2);
  CHECK(places.Neighbour(5, {1, 0}) == -1);
  CHECK(places.Neighbour(5, {-1, 1}) == 0);
  CHECK(Places({AxisOf(9, 1, true, true)}, {1}).Neighbour(0, {1}) == 0);
}

TEST_CASE("what one rank sends in a direction is what its neighbour gets from there") {
  using namespace stencilgen::mpi;
  const stencilgen::ranks::Places places({AxisOf(12, 2), AxisOf(9, 2)}, {2, 3});
  const std::vector<Dimension> array = {{-1, 4, 0}, {0, 0, 0}, {1, 0, 1}};
  // At corners above along both axes nothing comes, and little below along both.
  const Depth depth = {0, {2, 1}, {1, 2}, {{{1, 1}, {0, 0}}, {{0, 2}, {1, 0}}}};
  const int directions = stencilgen::ranks::DirectionCount(2);
  int found = 0;
  for (int direction = 0; direction < directions; ++direction) {
    const std::vector<int> steps = stencilgen::ranks::StepsOf(direction, 2);
    const std::vector<int> back = stencilgen::ranks::StepsOf(directions - 1 - direction, 2);
    const int from = places.Neighbour(1, steps);
    if (from < 0 || from == 1) continue;
    const Box got = ExchangedBox(array, places.PartsOf(1), depth, steps, false);
    const Box sent = ExchangedBox(array, places.PartsOf(from), depth, back, true);
    CHECK(got.first == sent.first);
    CHECK(got.end == sent.end);
    found += got.first.empty() ? 0 : 1;
  }
  // Rank 1 is in the middle below: three sides, and the one corner that is above and below.
  CHECK(found == 4);
  CHECK(depth.In({-1, -1}) == std::vector<long long>{1, 1});
  CHECK(depth.In({1, -1}) == std::vector<long long>{1, 2});
  CHECK(depth.In({1, 1}).empty());
  CHECK(depth.In({0, 1}) == std::vector<long long>{0, 2});
  CHECK(depth.In({0, 0}).empty());
}

TEST_CASE("a box is one piece of an array where nothing lies between its elements") {
  using stencilgen::mpi::Box;
  using stencilgen::mpi::FirstOfRun;
  const std::vector<long long> shape = {4, 5, 6};
  CHECK(FirstOfRun(Box{{0, 0, 0}, {4, 5, 6}}, shape) == 0);
  CHECK(FirstOfRun(Box{{1, 0, 0}, {3, 5, 6}}, shape) == 30);  // planes
  CHECK(FirstOfRun(Box{{2, 1, 0}, {3, 4, 6}}, shape) == 66);  // rows of a plane
  CHECK(FirstOfRun(Box{{2, 1, 3}, {3, 2, 5}}, shape) == 69);  // a part of a row
  CHECK(FirstOfRun(Box{{1, 1, 0}, {3, 5, 6}}, shape) == -1);
  CHECK(FirstOfRun(Box{{1, 0, 1}, {2, 5, 6}}, shape) == -1);
  CHECK(FirstOfRun(Box{{1, 0, 1}, {3, 5, 2}}, shape) == -1);
  CHECK(FirstOfRun(Box{{1, 0, 0}, {1, 5, 6}}, shape) == -1);
}
