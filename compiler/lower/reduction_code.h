#pragma once

#include <vector>

#include "kernel/code.h"
#include "lower/operator_code.h"

namespace stencilgen::lower {

/// The value that a reduction of the type begins with.
kernel::Expr BeginningOf(graph::ReduceOp op, ScalarType type);

/// Both values combined, the earlier one first.
kernel::Expr Combined(graph::ReduceOp op, ScalarType type, const kernel::Expr& before,
                      const kernel::Expr& value);

/// The code of one point of a reduction (Operator::reduction): its value, in a variable.
class ReductionPoint {
 public:
  /// `style`: as the target has it, without a result.
  ReductionPoint(const ProgramModel& model, const graph::Operator& op, OperatorStyle style);

  const OperatorCode& code() const { return *code_; }
  const graph::Operator& op() const { return op_; }
  ScalarType type() const { return type_; }
  kernel::VarRef NewVar(std::string_view wish, kernel::Type type);

  /// Adds the point's lines, after which `into` has its value too.
  void Lower(kernel::Block& block, const kernel::Expr& into) const;
  /// The element of the result at the position, which counts as written.
  kernel::Expr ResultAt(const kernel::Expr& position) const;
  /// Declares the ends of the operator's domain, after it those of no points where its guards fail.
  void LowerBounds(kernel::Block& block, std::vector<kernel::VarRef>& lo,
                   std::vector<kernel::VarRef>& hi);

 private:
  const ProgramModel& model_;
  const graph::Operator& op_;
  ScalarType type_;
  NameScope scope_;
  kernel::VarRef value_;
  std::optional<OperatorCode> code_;
};

}  // namespace stencilgen::lower
