#pragma once

#include <optional>

#include "lower/cpp/vector_nest.h"

namespace stencilgen::lower::cpp {

/// The operator's body for vectors, in the order and for the points that the options ask for. What
/// they leave open is chosen: blocks of one to eight points, and the order with the fewest cycles a
/// point. Empty where compilers' own code for the plain loop nest should do as well, where the
/// options ask for that nest, and where the operator has none for vectors.
std::optional<VectorKernel> ChooseVectors(const graph::Graph& graph, const graph::Operator& op,
                                          const plan::Schedule& schedule, const Options& options);

/// The same for a kernel: empty where it has several operators.
std::optional<VectorKernel> ChooseVectors(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::lower::cpp
