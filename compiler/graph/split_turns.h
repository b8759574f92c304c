#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// What a loop does after each `period` turns only.
struct PeriodicParts {
  NodeId loop;
  std::int64_t period = 1;  ///< at least 1
  /// Nodes of the loop's body: loops of one turn.
  std::vector<NodeId> parts;
  /// The number of the execution of parts, from 0 on, where they use it; a turn of no loop. Valid
  /// where the loop names its turn.
  ParameterId execution;
};

/// Makes of the loop one over periods: in each of its turns a loop over the period's turns without
/// the parts, the last of which stands by itself where the parts read what does not outlive a turn,
/// and the parts. A second loop after it, in the same region, has the turns left over. So all loops
/// are plain ones, and those inside may run in time tiles.
/// `next_group` as NodeCopier has it.
/// Requires: the loop ends by its count alone, which no transformation has divided.
void SplitTurns(Graph& graph, const PeriodicParts& periodic, int* next_group);

}  // namespace stencilgen::graph
