#pragma once

#include "plan/plan.h"

namespace stencilgen::plan {

/// Kernels in graph order, and the buffers between them. A kernel is one operator on its own, or
/// with `schedule.shared_memory` or `shuffle` a tile of operators: one, or with Fusion::Max as many
/// consecutive ones as BuildTile accepts, or with Fusion::Greedy those that PlanFused puts together
/// with its usual settings. A kernel writes over a version where nobody needs that
/// any more and each point is read by the thread that writes it, else into another buffer; loops
/// rotate pointers instead of copying. What only the operators of its kernel read has no buffer.
/// Requires: graph::Verify(graph) is empty.
/// Ensures: no kernel reads at other points a buffer that it writes.
Plan PlanKernels(graph::Graph graph, const Schedule& schedule);

}  // namespace stencilgen::plan
