#pragma once

#include <optional>

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// What the domain of a statement is: its points, or a box around them.
enum class Box { Exact, Around };

struct StepDomain {
  std::optional<ast::DomainSpec> ranges;  ///< empty for a single point
  Box box = Box::Exact;
  std::optional<isl::set> around;  ///< the instances that the points of the box would be
  bool strided = false;            ///< points are left out at regular distances
};

/// Sizes of arrays that are all larger than what a stencil reaches. Requires: extents are known.
isl::set LargeSizes(const Writing& writing);

/// The values that the counter of the loop number `level` takes, over all turns of those around it,
/// in which loops inside have something to do; and those that its own bounds allow.
isl::set CounterValues(const Step& step, std::size_t level);
isl::set CounterValuesAround(const Step& step, std::size_t level);

/// A box around the points of a step. Empty where an error was reported.
std::optional<StepDomain> WriteDomain(Writing& writing, const Step& step, const Frame& frame);

/// What must hold at a point of the box for the statement to be computed there; empty where it
/// always is. A `local` scalar has no domain of its own: its conditions are all written.
std::optional<ast::ExprId> WriteCondition(Writing& writing, const Step& step, const Frame& frame,
                                          ValueWriter& values, const StepDomain& domain,
                                          bool local);

}  // namespace stencilgen::scop
