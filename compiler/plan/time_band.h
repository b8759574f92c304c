#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "plan/plan.h"

/// Bandishti, *Tiling stencil computations to maximize parallelism*, IISc 2013, section 4.2 (lower-
/// dimensional concurrent start) and 4.3 (statements shifted against each other): a point of
/// coordinate x that launch m computes in turn t has u = slope t + x + rise[m] and
/// v = slope t - x + fall[m]. Neither falls along any dependence, those through memory that is used
/// again included. So of the tiles between lines of equal u and lines of equal v, wherever these
/// are, no two with one sum of both numbers depend on each other.
namespace stencilgen::plan {

/// The band of a loop, or why its turns are not tiled: some step is no launch, an array is read at
/// places that do not move with the point, ...
std::variant<TimeBand, std::string> FindTimeBand(const Plan& plan, const Repeat& repeat);

/// Every loop of the plan that can have a band gets it, but for loops that contain loops.
/// Requires: a plan for a CPU: no tiles, no streams. `turns`: TimeBand::turns.
Plan AddTimeBands(Plan plan, int turns);

/// The loops that have a band, in the order of the plan's steps.
std::vector<const Repeat*> LoopsWithBands(const Plan& plan);

/// The kernels that bands launch.
std::set<KernelId> KernelsInBands(const Plan& plan);

/// What is wrong with the band of the loop: dependences along which a tile's coordinate falls,
/// turns after which memory is elsewhere. Empty: nothing. Checks every pair of accesses again.
std::vector<std::string> VerifyTimeBand(const Plan& plan, const Repeat& repeat);

/// A launch of the band that has all its iterators, and computes more than an edge where one does.
KernelId LeadOf(const Plan& plan, const TimeBand& band);

/// The most points along the first iterator that a kernel of the band computes side by side.
int PointsAlongFirst(const Plan& plan, const TimeBand& band);

/// By iterator of a band: the place where a launch stands that does not walk it, as a source at a
/// fixed point or a line of receivers; empty where it walks.
using BandPlaces = std::vector<std::optional<graph::LinearForm>>;

/// What a band's loop has besides its dependences.
struct BandShape {
  std::map<KernelId, BandPlaces> places;  ///< by launch
  /// The extent of the arrays that wrap around along the first and the second iterator: places from
  /// extent on are those from 0 on. Empty where none does.
  ///
  /// Along the first, the tiles of a wavefront close a ring: the one after the last is the first.
  /// Along the second, strips go around: of a tile's turn t, counted from its first, they have
  /// extent places from slope t + fall[m] on, so that the first strip leaves to the last what it
  /// cannot compute yet.
  std::array<std::optional<graph::LinearForm>, 2> around;
};
/// Requires: the loop has a band.
BandShape ShapeOf(const Plan& plan, const Repeat& repeat);

/// The buffer whose memory `buffer` has after so many turns of the loop.
BufferId AfterTurns(const Repeat& repeat, BufferId buffer, int turns);

}  // namespace stencilgen::plan
