#pragma once

#include <string>
#include <vector>

#include "support/operators.h"
#include "support/scalar_type.h"

namespace stencilgen::testing {

/// A number of the direct evaluation: ints are exact doubles.
struct DirectNumber {
  double value = 0;
  bool integer = false;
  bool defined = true;
};

DirectNumber DirectUnary(UnaryOp op, DirectNumber a);
DirectNumber DirectBinary(BinaryOp op, DirectNumber a, DirectNumber b);
DirectNumber DirectCall(const std::string& function, const std::vector<DirectNumber>& arguments);
/// As an assignment converts; float is kept as double.
DirectNumber DirectConvert(DirectNumber a, ScalarType type);
/// As an element of an array: whole numbers that elements do not hold become the nearest that they
/// do; floating ones are not rounded.
DirectNumber DirectStore(DirectNumber a, ScalarType type, ElementFormat format);

}  // namespace stencilgen::testing
