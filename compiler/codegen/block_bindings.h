#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/module.h"

/// What the arrays and scalars of the program in a block are in the C++ around it.
namespace stencilgen::codegen {

/// What an array or a scalar is of a complex name: the program has two of each, which are one
/// variable around it.
struct PairPart {
  std::string whole;
  bool imaginary = false;
};

/// Empty where it is a part of none of these names.
std::optional<PairPart> FindPairPart(const kernel::Array& array,
                                     const std::set<std::string>& complex);

/// `double`, const where the program only reads elements.
std::string ElementType(const kernel::Array& array);

/// The condition of C++ for a variable that an array or a scalar binds to, and what that is called.
struct Binding {
  std::string condition;
  std::string_view kind;  ///< of name
  std::string wanted;     ///< in words
  std::string argument;   ///< that binds it
};

/// `bound`: the variable, or an expression.
Binding BindVariable(const kernel::Array& array, const std::string& bound);

/// The same for both parts of an array, and for each part of a scalar.
Binding BindPair(const kernel::Array& array, const PairPart& part, const std::string& bound);

}  // namespace stencilgen::codegen
