#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/band_accesses.h"

/// How far tiles of a band lean along a coordinate, by the dependences of its launches
/// (plan/time_band.h).
namespace stencilgen::plan {

/// The least slope, and shifts by launch, with which slope t + x + rise[m] does not fall along any
/// of the dependences; `both`: nor does slope t - x + fall[m]. Empty where that takes too steep a
/// slope.
std::optional<BandSide> FindSide(const std::vector<BandDependence>& dependences,
                                 std::size_t launches, bool both);

/// Adds to `problems` each dependence along which one of them falls, in words that begin with
/// `name`.
void CheckSide(std::string_view name, const BandSide& side, bool both,
               const std::vector<BandDependence>& dependences, std::size_t launches,
               std::vector<std::string>& problems);

}  // namespace stencilgen::plan
