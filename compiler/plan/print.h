#pragma once

#include <string>

#include "plan/plan.h"

namespace stencilgen::plan {

/// The plan as deterministic text: buffers, host scalars, kernels, then the steps, loops indented:
///   repeat T
///     average: u.2 -> u_alt from u, in
///   rotate u <- u_alt, u_alt <- u
std::string Print(const Plan& plan);

}  // namespace stencilgen::plan
