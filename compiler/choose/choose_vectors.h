#pragma once

#include <optional>

#include "choose/nest_options.h"
#include "graph/graph.h"
#include "plan/loop_nest.h"
#include "plan/schedule.h"

namespace stencilgen::choose {

/// A nest in vectors, and what it costs.
struct VectorChoice {
  plan::LoopNest nest;  ///< but for tiles and threads
  double cycles = 0;    ///< of a point, as nest_cost.h has them
  double plain = 0;     ///< of a point of the plain nest; 0 where that was not asked
};

/// The operator in vectors, in the order and for the points that the options ask for. What they
/// leave open is chosen: blocks of one to eight points, and the order with the fewest cycles a
/// point. Empty where compilers' own code for the plain loop nest should do as well, where the
/// options ask for that nest, and where the operator has none for vectors.
std::optional<VectorChoice> ChooseVectors(const graph::Graph& graph, const graph::Operator& op,
                                          const plan::Schedule& schedule,
                                          const NestOptions& options);

}  // namespace stencilgen::choose
