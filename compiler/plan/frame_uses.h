#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::plan {

/// By version: true for the result of an operator of which nobody but those who read it needs an
/// element that the operator writes. As a background, around a loop, it only stands for its frame,
/// the elements outside of what the operator writes. Nothing that is read or an output beyond that
/// counts: in
///
///   loop [v: v.0 -> v.1 -> v.2 -> v.4, u: u.0 -> u.1 -> u.3 -> u.4]
///     v.2 = s: u.1 else v.1         v.1 is never read, so that of v.2 only the frame goes around
///     u.3 = s: v.2 else u.1
///   output u.4
///
/// v.2 is one, and u.3 is none.
std::vector<bool> FindFrameOnly(const graph::Graph& graph);

/// Where a kernel alone reads a result that is FindFrameOnly, takes the background that the kernel
/// finds in memory for what others need of it, so that nobody needs the result after the kernel:
/// above v.1 instead of v.2 at the end of the loop, where one kernel has both operators.
/// `kernel_of`: by node; operators of one kernel have the same number, -1 stands for a kernel of
/// its own.
/// Requires: graph::Verify(graph) is empty. Ensures: it still is, and outputs mean the same.
/// Returns true where something has changed.
bool TakeFramesFromBackgrounds(graph::Graph& graph, const std::vector<int>& kernel_of);

}  // namespace stencilgen::plan
