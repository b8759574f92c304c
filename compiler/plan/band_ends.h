#pragma once

#include <string>
#include <vector>

#include "plan/band_accesses.h"
#include "plan/plan.h"

/// Bands whose results are wanted at some places alone, as those of a rank that has ghosts for
/// several turns: a turn computes only what later ones need, so that ghosts shrink to none.
///
///     t      wanted
///     |    |--------|
///     |   |..........|    a turn reads one place further
///     |  |............|
///     +-----------------
namespace stencilgen::plan {

/// The last step's band gets BandEnds along the iterators that graph::WantedPlaces names. Not
/// where some statement reads what it computes at other places than those near its point, where
/// arrays wrap around, or something computes after the loop.
Plan AddBandEnds(Plan plan);

/// Ends that are too near: what a launch computes that a later one needs, or a caller. Checks
/// every pair of launches. Requires: the accesses of the band's loop are collected.
std::vector<std::string> VerifyBandEnds(const Plan& plan, const TimeBand& band,
                                        const BandAccesses& accesses);

}  // namespace stencilgen::plan
