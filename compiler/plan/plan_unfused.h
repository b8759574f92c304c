#pragma once

#include "plan/plan.h"

namespace stencilgen::plan {

/// One kernel an operator, in graph order, and the buffers between them: an operator writes over
/// its background where nobody needs that any more and it reads it point by point, else into
/// another buffer; loops rotate pointers instead of copying.
/// Requires: graph::Verify(graph) is empty.
/// Ensures: no kernel reads at other points a buffer that it writes.
Plan PlanUnfused(graph::Graph graph, const Schedule& schedule);

}  // namespace stencilgen::plan
