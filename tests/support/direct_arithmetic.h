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

}  // namespace stencilgen::testing
