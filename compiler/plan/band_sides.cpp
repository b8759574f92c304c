#include "plan/band_sides.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace stencilgen::plan {
namespace {

/// Shifts by launch with which slope * turns + distance + shift[later] - shift[earlier] is never
/// negative, the smallest from 0 on; empty where there are none. `falls`: of -distance.
std::optional<std::vector<std::int64_t>> ShiftsFor(std::int64_t slope, bool falls,
                                                   const std::vector<BandDependence>& dependences,
                                                   std::size_t launches) {
  std::vector<std::int64_t> shifts(launches, 0);
  for (std::size_t round = 0; round <= launches; ++round) {
    bool changes = false;
    for (const BandDependence& each : dependences) {
      const std::int64_t distance = falls ? -each.most : each.least;
      const std::int64_t needed = shifts[each.earlier] - slope * each.turns - distance;
      if (shifts[each.later] >= needed) continue;
      shifts[each.later] = needed;
      changes = true;
    }
    if (!changes) return shifts;
  }
  return std::nullopt;
}

constexpr std::int64_t kMostSlope = 64;

}  // namespace

std::optional<BandSide> FindSide(const std::vector<BandDependence>& dependences,
                                 std::size_t launches, bool both) {
  for (std::int64_t slope = both ? 1 : 0; slope <= kMostSlope; ++slope) {
    auto rise = ShiftsFor(slope, false, dependences, launches);
    auto fall = both ? ShiftsFor(slope, true, dependences, launches)
                     : std::vector<std::int64_t>(launches, 0);
    if (rise && fall) return BandSide{slope, *std::move(rise), *std::move(fall)};
  }
  return std::nullopt;
}

void CheckSide(std::string_view name, const BandSide& side, bool both,
               const std::vector<BandDependence>& dependences, std::size_t launches,
               std::vector<std::string>& problems) {
  if (side.rise.size() != launches || side.fall.size() != launches) {
    problems.push_back(fmt::format("{}: shifts of other launches", name));
    return;
  }
  for (const BandDependence& each : dependences) {
    const std::int64_t grown = side.slope * each.turns;
    const std::int64_t up = grown + each.least + side.rise[each.later] - side.rise[each.earlier];
    const std::int64_t down = grown - each.most + side.fall[each.later] - side.fall[each.earlier];
    if (up < 0 || (both && down < 0)) {
      problems.push_back(
          fmt::format("{}: a tile is left against a dependence of launch {} on launch {}, {} turns "
                      "before",
                      name, each.later, each.earlier, each.turns));
    }
  }
}

}  // namespace stencilgen::plan
