#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// Notes where two things of the plan have one name.
void CheckNames(const Plan& plan, std::vector<std::string>& problems);

/// Notes rotations that are no permutations of memory of one shape.
void CheckRotations(const Plan& plan, const std::vector<Step>& steps,
                    std::vector<std::string>& problems);

}  // namespace stencilgen::plan
