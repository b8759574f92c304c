#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// What must be valid before a segment runs, beyond a rank's own points, by array.
struct GhostNeeds {
  std::map<ArrayId, Halo> values;
  /// Of elements alone that the loop around never writes: their values last through its turns.
  std::map<ArrayId, Halo> frames;
  /// Ghosts that arrays must have, also for what a rank computes in them itself.
  Reaches room;
};

/// For a segment that runs so many turns of its loop (1 where it is of none), so that all its
/// outputs are right at the rank's own points. Follows the values backward.
GhostNeeds FindNeeds(const graph::Graph& graph, const Grid& grid, const SegmentSource& source,
                     std::int64_t turns);

/// Raises needs of frames of a run of the segment that others come before, of so many turns each:
/// after these an array may have the untouched elements of another one. `exchanged`: what is
/// exchanged before each of them; elements that came so need not have been there earlier.
void ShareFrames(const graph::Graph& graph, const SegmentSource& source, std::int64_t turns,
                 const std::map<ArrayId, Halo>& exchanged, std::map<ArrayId, Halo>& frames);

/// The inputs of the segment whose untouched elements the array may have after a run: the array
/// itself where the segment does not write it, none where all its elements are new. Of a loop,
/// after any number of turns.
std::set<ArrayId> FrameOrigins(const graph::Graph& graph, const SegmentSource& source,
                               ArrayId array);

/// True where the elements that the operator leaves as they are keep their values through all turns
/// of the loop: whatever else the loop writes to memory of its array lies inside of its domain.
/// False without a loop.
bool KeepsFrame(const graph::Graph& graph, graph::NodeId loop, const graph::Operator& op);

/// Every operator in the loop, those of loops inside included.
std::vector<const graph::Operator*> OperatorsIn(const graph::Graph& graph, graph::NodeId loop);

}  // namespace stencilgen::distribute
