#pragma once

#include <optional>

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// What the domain of a statement is: its points, a box around them by the loops' bounds, or the
/// whole array that it writes.
enum class Box { Exact, Around, Array };

struct StepDomain {
  std::optional<ast::DomainSpec> ranges;  ///< empty for a single point
  Box box = Box::Exact;
};

/// A box around the points of a step. Empty where an error was reported.
std::optional<StepDomain> WriteDomain(Writing& writing, const Step& step, const Frame& frame);

/// What must hold at a point of the box for the statement to be computed there; empty where it
/// always is. A `local` scalar has no domain of its own: its conditions are all written.
std::optional<ast::ExprId> WriteCondition(Writing& writing, const Step& step, const Frame& frame,
                                          ValueWriter& values, Box box, bool local);

}  // namespace stencilgen::scop
