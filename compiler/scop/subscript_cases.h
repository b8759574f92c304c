#pragma once

#include <cstddef>
#include <vector>

#include <isl/cpp.h>

#include "scop/linear.h"

namespace stencilgen::scop {

/// A form that is 0, or at least 0.
struct LinearCondition {
  Linear form;
  bool is_equality = false;
};

/// The value of a subscript where all conditions hold and those of no case before it.
struct SubscriptCase {
  std::vector<LinearCondition> conditions;
  Linear value;
};

/// The cases of one dimension of what a map gives, as of `i == 0 ? n-1 : i-1`: the last has no
/// conditions. Empty where a value or a condition is not linear, or there are more than four.
/// Requires: the map is a function.
std::vector<SubscriptCase> FindSubscriptCases(const isl::map& map, std::size_t d);

}  // namespace stencilgen::scop
