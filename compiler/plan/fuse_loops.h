#pragma once

#include <functional>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// What a loop nest costs whose points are computed by these operators, one after the other. They
/// have iterators. Of cuts that cost the same, one with shorter nests at its end is taken.
using NestPrice = std::function<double(const graph::Graph& graph,
                                       const std::vector<const graph::Operator*>& ops)>;

/// The plan with stretches of consecutive kernels put together, so that the sum of prices is the
/// lowest: at each point their operators are computed one after the other. That is right where all
/// have the same points and write each its own element, or add it to a lane of a reduction, and
/// none reads at another point what one of them writes. Copies between them go before all. What
/// only operators of its kernel read has no buffer then. Kernels of several operators stay as they
/// are; what shares a kernel loses its tile and its stream.
///
/// Requires: Verify(plan) is empty.
/// Ensures: Verify of the result is empty; results and their order are as before.
Plan FuseLoops(Plan plan, const NestPrice& price);

}  // namespace stencilgen::plan
