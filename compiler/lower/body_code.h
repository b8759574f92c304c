#pragma once

#include <functional>
#include <vector>

#include "kernel/body.h"
#include "lower/operator_code.h"

namespace stencilgen::lower {

/// An operator of a body and its code.
struct BodyOperator {
  const graph::Operator* op = nullptr;
  OperatorCode* code = nullptr;
};

/// Code of a body in its own order.
struct BodyCode {
  /// Values that are the same at every point, beyond those of the operators' code.
  kernel::Block uniform;
  kernel::Block code;
};

/// Each temporary is a variable, each contribution of a product a multiply-add, an element that
/// several instructions use is loaded just before the first of them, and a result is stored as soon
/// as it is complete. Positions of rows in memory are computed one from the other where they are
/// needed, behind the compiler's back: it would keep one a row for the whole kernel.
/// `ops`: those that the body's statements are of, in that order; they share their
/// names of iterators, and the first one's scope is the body's. `variable` gives the variable that
/// takes a statement's result, or to which it is added, instead of its operator's buffer; null
/// where there is none and nothing is added.
BodyCode LowerBodyCode(
    const graph::Graph& graph, const kernel::Body& body, const std::vector<BodyOperator>& ops,
    const std::function<kernel::Expr(const kernel::Statement&)>& variable = nullptr);

}  // namespace stencilgen::lower
