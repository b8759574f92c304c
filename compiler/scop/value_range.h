#pragma once

#include <cstdint>

#include "scop/c_region.h"

namespace stencilgen::scop {

/// Whole numbers from the least to the largest.
struct ValueRange {
  std::int64_t least, largest;

  bool IsWithin(ValueRange other) const { return least >= other.least && largest <= other.largest; }
};

/// What elements of a narrow format hold.
ValueRange HeldBy(ElementFormat format);

/// Where an expression of whole numbers lies, as elements of narrow arrays, operators and clamps by
/// `min` and `max` say; all numbers of `int` where they say nothing.
/// Requires: C defines the value; `int` is what it is computed in.
ValueRange RangeOf(const Region& region, ExprId value);

/// The same of what the operator makes of two values.
ValueRange RangeOf(BinaryOp op, ValueRange a, ValueRange b);

}  // namespace stencilgen::scop
