#pragma once

#include <string>
#include <vector>

#include "driver/choose_schedule.h"

namespace stencilgen::driver {

/// `common1_0 = sqrt(gravity*h[j][i])`: each array that was made for a value that several points
/// need (passes/share_values.h), and what it holds.
std::vector<std::string> SharedValueTexts(const ChosenPlan& chosen);

/// An array of the program whose components are arrays of their own (passes/split_components.h),
/// and their names.
struct SplitArray {
  std::string name;
  std::vector<std::string> components;
};
std::vector<SplitArray> SplitArrays(const graph::Graph& graph);

/// The lines about arrays that the program does not have; empty where there are none.
std::string ExplainArrays(const ChosenPlan& chosen);

}  // namespace stencilgen::driver
