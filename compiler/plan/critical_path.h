#pragma once

#include "plan/plan.h"

namespace stencilgen::plan {

/// Cycles that a thread must wait, at the least, in one step of the tile, as results wait for each
/// other and threads for barriers; loads of memory take no time. Operators that do not read what
/// the same step makes overlap, and so do those that add to each other's results. Between two
/// barriers that is all that keeps a lone thread back.
double CriticalPath(const Plan& plan, const Tile& tile);

/// Cycles from the operator's last operand to its result, where all operands come at once.
double CriticalPath(const graph::Graph& graph, const graph::Operator& op);

}  // namespace stencilgen::plan
