#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "scop/order.h"
#include "scop/read_scops.h"
#include "support/exchange.h"

namespace stencilgen::scop {

/// A region as a stencil program, and how its names are bound where the region stood.
struct Translation {
  ast::Program program;
  /// What arrays, scalars and parameters of the program are in the C or C++ code around.
  std::map<std::string, std::string> bindings;
  /// Where it does not hold the program cannot be called: a size is less than 1. Empty: it always
  /// can.
  std::string condition;
  /// The region computes something where the condition does not hold: its own code must stay there.
  bool keeps_code = false;
  std::vector<Exchange> after;    ///< by the code around, after the call
  std::vector<std::string> left;  ///< assignments of C to scalars, after that
  std::vector<PointChoice> choices;
};

/// Requires: CheckOrder(model, order) held. Reports what the language has no words for.
/// Empty exactly when an error was reported.
std::optional<Translation> Translate(const Model& model, const Order& order, DiagnosticSink& sink);

}  // namespace stencilgen::scop
