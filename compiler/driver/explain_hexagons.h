#pragma once

#include <string>

#include "plan/cost.h"
#include "plan/plan.h"

namespace stencilgen::driver {

/// Lines about the plan's loops in hexagons, one or two each; none where there are none. `cost`: of
/// the plan; nothing in it where there is no device.
std::string ExplainHexagons(const plan::Plan& plan, const plan::PlanCost& cost);

}  // namespace stencilgen::driver
