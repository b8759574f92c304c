#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ast/ast.h"

namespace stencilgen::testing {

/// An array or scalar of a program while it is evaluated directly.
struct DirectArray {
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::vector<std::int64_t> shape;  ///< empty for a scalar
  std::vector<double> values;
  std::vector<std::uint8_t> defined;
};
using DirectState = std::map<std::string, DirectArray>;

/// A second reading of grammar/README.md, independent of sema/ and graph/: evaluates the syntax
/// tree point by point, with domains as explicit sets of points instead of symbolic boxes.
/// Floating arithmetic is in double, as with graph::Precision::Double.
/// `state` holds every program-level array and scalar with its input and is left with the result.
/// Requires: the program has no errors; extents are small.
void EvaluateDirectly(const ast::Program& program,
                      const std::map<std::string, std::int64_t>& parameters, DirectState& state);

}  // namespace stencilgen::testing
