#pragma once

#include <string>
#include <vector>

#include "driver/choose_schedule.h"

namespace stencilgen::driver {

/// `common1_0 = sqrt(gravity*h[j][i])`: each array that was made for a value that several points
/// need (passes/share_values.h), and what it holds.
std::vector<std::string> SharedValueTexts(const ChosenPlan& chosen);

/// The lines about them; empty where there are none.
std::string ExplainShared(const ChosenPlan& chosen);

}  // namespace stencilgen::driver
