#include "plan/loop_nest.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/check.h"
#include "support/count_text.h"

namespace stencilgen::plan {
namespace {

const char* ToString(NestOrder order) {
  switch (order) {
    case NestOrder::Program:
      return "the program";
    case NestOrder::Trees:
      return "trees";
    case NestOrder::Lars:
      return "lars";
    case NestOrder::LarsRows:
      return "lars by rows";
    case NestOrder::LarsCoefficients:
      return "lars by coefficients";
  }
  STENCILGEN_CHECK(false);
  return "";
}

bool Several(const std::vector<int>& points) {
  return std::any_of(points.begin(), points.end(), [](int each) { return each > 1; });
}

}  // namespace

LoopNest PlainNest(std::size_t iterators) {
  LoopNest nest;
  nest.points.assign(iterators, 1);
  nest.tile.assign(iterators, 0);
  return nest;
}

std::string ToString(const LoopNest& nest, const std::vector<std::string>& iterators) {
  std::vector<std::string> parts;
  if (nest.vectors) {
    std::string text = nest.pack > 0 ? fmt::format("packs of {} vectors", nest.pack) : "vectors";
    if (Several(nest.points)) text += fmt::format(" at {} points", fmt::join(nest.points, "x"));
    parts.push_back(fmt::format("{} in the order of {}", text, ToString(nest.order)));
  } else {
    parts.push_back(Several(nest.points)
                        ? fmt::format("{} points a turn", fmt::join(nest.points, "x"))
                        : "point by point");
  }
  for (std::size_t n = 0; n < nest.tile.size(); ++n) {
    if (nest.tile[n] > 0)
      parts.push_back(fmt::format("tiles of {} along {}", nest.tile[n], iterators[n]));
    if (nest.tile[n] == kTileByCache) {
      parts.push_back(fmt::format("tiles along {} as caches hold them", iterators[n]));
    }
  }
  if (nest.past_caches) parts.emplace_back("stores past caches");
  if (nest.shifts) parts.emplace_back("neighbours by shifts of vectors in tiles");
  if (nest.threads > 0) {
    parts.push_back(CountText(nest.threads, "thread"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Verify(const LoopNest& nest, std::size_t operators, std::size_t iterators) {
  if (nest.points.size() != iterators || nest.tile.size() != iterators) {
    return fmt::format("a nest of {} loops for {} iterators", nest.points.size(), iterators);
  }
  if (std::any_of(nest.points.begin(), nest.points.end(), [](int each) { return each < 1; })) {
    return "a turn without points";
  }
  if (std::any_of(nest.tile.begin(), nest.tile.end(),
                  [](int each) { return each < 0 && each != kTileByCache; })) {
    return "a tile without points";
  }
  if (!nest.tile.empty() && nest.tile.front() != 0) return "a tile along what threads share";
  if (nest.vectors && operators != 1) return "vectors of several operators";
  if (nest.vectors && nest.points.back() != 1) return "several points along vectors";
  const bool by_cache = std::count(nest.tile.begin(), nest.tile.end(), kTileByCache) > 0;
  const bool known = nest.row_bytes > 0 && nest.rim_bytes >= 0 && nest.planes > 0;
  if (by_cache && (iterators != 3 || nest.tile[1] != kTileByCache || !known)) {
    return "tiles by the cache of nothing known";
  }
  if (nest.past_caches && (nest.vectors || Several(nest.points))) {
    return "lines of several points a turn";
  }
  if (nest.shifts && (nest.vectors || Several(nest.points))) {
    return "shifts of several points a turn";
  }
  if (!nest.vectors && (nest.pack > 0 || nest.order != NestOrder::Program)) {
    return "an order without vectors";
  }
  return nest.threads < 0 || nest.pack < 0 ? "a negative number" : "";
}

}  // namespace stencilgen::plan
