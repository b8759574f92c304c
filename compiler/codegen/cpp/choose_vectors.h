#pragma once

#include <optional>

#include "codegen/cpp/vector_nest.h"

namespace stencilgen::codegen::cpp {

/// Cycles that a core takes for one turn of a body with these loads, on packs of two vectors. Loads
/// and arithmetic have their own units, so that the slower of them decides.
double CyclesOf(const kernel::Body& body, const FetchPlan& plan);

/// The kernel's body for vectors, in the order and for the points that the options ask for. What
/// they leave open is chosen: blocks of one to eight points, and the order with the fewest cycles a
/// point. Empty where compilers' own code for the plain loop nest should do as well, where the
/// options ask for that nest, and where the kernel has none for vectors.
std::optional<VectorKernel> ChooseVectors(const ProgramModel& model, plan::KernelId kernel);

}  // namespace stencilgen::codegen::cpp
