#pragma once

#include <vector>

#include "plan/plan.h"

namespace stencilgen::lower {

/// The copies of borders that need not be made again while nobody else changes the source: from the
/// home of an input or output to scratch that takes turns with it, where no step of the plan writes
/// to either outside of the points that the copy leaves out.
std::vector<plan::CopyOutside> LastingCopies(const plan::Plan& plan);

}  // namespace stencilgen::lower
