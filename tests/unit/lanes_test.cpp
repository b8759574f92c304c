#include "stencilgen/lanes.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "support/catch.h"

using namespace stencilgen::lanes;
using stencilgen::mpi::Box;

namespace {

/// The lane of each point of the box, in order, by the rule of the language.
std::vector<long long> LanesByRule(const Deal& deal, const Box& box) {
  std::vector<long long> lanes;
  ForEachRow(box, [&](const std::vector<long long>& row) {
    for (long long i = row.back(); i < box.end.back(); ++i) {
      long long lane = 0;
      for (std::size_t d = 0; d < row.size(); ++d) {
        const long long at = (d + 1 == row.size() ? i : row[d]) - deal.first[d];
        lane = lane * deal.filled[d] + at % deal.lanes[d];
      }
      lanes.push_back(lane);
    }
  });
  return lanes;
}

/// The same from the runs of points whose lanes are in a range.
std::vector<long long> LanesByRuns(const Deal& deal, const Box& box, long long begin,
                                   long long last) {
  std::vector<long long> lanes;
  ForEachRow(box, [&](const std::vector<long long>& row) {
    long long before = row.back();
    ForEachRun(deal, row, box.end.back(), begin, last,
               [&](long long first, long long count, long long lane) {
                 REQUIRE(first >= before);
                 before = first + count;
                 for (long long k = 0; k < count; ++k) lanes.push_back(lane + k);
               });
    REQUIRE(before <= box.end.back());
  });
  return lanes;
}

}  // namespace

TEST_CASE("each point is in the run of its lane, whoever has the lane") {
  const std::vector<Deal> deals = {{{2, 5}, {40, 60}, {7, 16}},
                                   {{0, 0}, {3, 4}, {64, 1024}},
                                   {{3}, {500}, {31}},
                                   {{0, 1, 2}, {9, 8, 30}, {4, 3, 8}}};
  int runs = 0;
  for (const Deal& deal : deals) {
    Box box{deal.first, deal.end};
    // A rank's part begins and ends anywhere.
    box.first.back() += 1;
    box.end[0] -= 1;
    box = Within(deal, box);
    const std::vector<long long> rule = LanesByRule(deal, box);
    REQUIRE_FALSE(rule.empty());
    for (const long long ranks : {1, 2, 3, 5}) {
      std::size_t points = 0;
      for (long long rank = 0; rank < ranks; ++rank) {
        const long long begin = deal.count * rank / ranks;
        const long long last = deal.count * (rank + 1) / ranks;
        std::vector<long long> expected;
        for (const long long lane : rule) {
          if (lane >= begin && lane < last) expected.push_back(lane);
        }
        CHECK(LanesByRuns(deal, box, begin, last) == expected);
        points += expected.size();
        ++runs;
      }
      CHECK(points == rule.size());
    }
  }
  CHECK(runs == 44);
}

TEST_CASE("lanes that have points have places of their own among all lanes") {
  const Deal deal({1, 1}, {3, 9}, {4, 8});
  REQUIRE(deal.count == 24);
  std::set<long long> places;
  for (long long lane = 0; lane < deal.count; ++lane) places.insert(deal.PlaceOf(lane));
  CHECK(places.size() == 24);
  CHECK(deal.PlaceOf(8) == 8);
  CHECK(Deal({1, 1}, {2, 3}, {4, 8}).PlaceOf(3) == 8);
  CHECK(Deal::None({4, 8}).count == 0);
  CHECK(Deal({5}, {4}, {8}).count == 0);
}

TEST_CASE("values meet as the language says") {
  CHECK(Identity<double>(Fold::Min) == std::numeric_limits<double>::infinity());
  CHECK(Identity<int>(Fold::Max) == std::numeric_limits<int>::lowest());
  CHECK(Identity<unsigned char>(Fold::All) == 1);
  CHECK(Combined<Fold::Sum>(2, 3) == 5);
  CHECK(Combined<Fold::Min>(2, 3) == 2);
  CHECK(Combined<Fold::Any>(0, 1) == 1);
  CHECK(Combined<Fold::All>(1, 0) == 0);
  // What is no number is left out, and of two zeros the first one stays.
  CHECK(Combined<Fold::Max>(1.0, std::numeric_limits<double>::quiet_NaN()) == 1.0);
  CHECK(std::signbit(Combined<Fold::Min>(-0.0, 0.0)));
  CHECK_FALSE(std::signbit(Combined<Fold::Min>(0.0, -0.0)));
  CHECK(FloorDiv(-7, 2) == -4);
  CHECK(CeilDiv(-7, 2) == -3);
  CHECK(CeilDiv(7, 2) == 4);
}
