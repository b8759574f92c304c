#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// What must be valid before a segment runs, beyond a rank's own points, by array.
struct GhostNeeds {
  std::map<ArrayId, Reaches> values;
  /// Of elements alone that the loop around never writes: their values last through its turns.
  std::map<ArrayId, Reaches> frames;
  /// Ghosts that arrays must have, also for what a rank computes in them itself.
  Reaches room;
};

/// For a segment that runs so many turns of its loop (1 where it is of none), so that all its
/// outputs are right at the rank's own points. Follows the values backward.
GhostNeeds FindNeeds(const graph::Graph& graph, const Grid& grid, const SegmentSource& source,
                     std::int64_t turns);

/// Raises needs of frames for a segment that runs again and again: after so many turns an array may
/// have the untouched elements of another one.
void ShareFrames(const graph::Graph& graph, const SegmentSource& source, std::int64_t turns,
                 std::map<ArrayId, Reaches>& frames);

/// The input of the segment whose untouched elements the array has after a run: the array itself
/// where the segment does not write it; none where all its elements are new.
/// Requires: the segment is not of a loop.
std::optional<ArrayId> FrameOrigin(const graph::Graph& graph, const SegmentSource& source,
                                   ArrayId array);

/// True where the elements that the operator leaves as they are keep their values through all turns
/// of the loop: whatever else the loop writes to memory of its array lies inside of its domain.
/// False without a loop.
bool KeepsFrame(const graph::Graph& graph, graph::NodeId loop, const graph::Operator& op);

/// Every operator in the loop, those of loops inside included.
std::vector<const graph::Operator*> OperatorsIn(const graph::Graph& graph, graph::NodeId loop);

}  // namespace stencilgen::distribute
