#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/linear.h"

namespace stencilgen::codegen {

/// A piece of integer arithmetic in C++, folded where it is known. Sums and products of terms print
/// without needless parentheses, zeros and ones.
struct Term {
  std::optional<std::int64_t> value;
  std::string text;
  int precedence = 0;  ///< as in support/operators.h
};

Term Number(std::int64_t value);
Term Variable(std::string name);
/// `names` by parameter index.
Term Linear(const graph::LinearForm& form, const std::vector<std::string>& names);

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);

/// The term as an operand: in parentheses where it binds less than `precedence`.
std::string Operand(const Term& term, int precedence);

}  // namespace stencilgen::codegen
