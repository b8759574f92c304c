#pragma once

#include <string>
#include <vector>

#include "support/scalar_type.h"

namespace stencilgen {

/// What remains to be done after the call of a program that exchanges arrays, for code that expects
/// their contents where it left them: all texts are expressions of C.
struct Exchange {
  std::vector<std::string> arrays;  ///< pointers to their first elements
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  std::string count;  ///< elements of each
  std::string turns;  ///< how often each has passed its contents on to the next
  /// Not the contents but the two pointers themselves are exchanged, once a turn.
  bool pointers = false;
};

}  // namespace stencilgen
