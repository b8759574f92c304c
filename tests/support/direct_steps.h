#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "support/direct_scope.h"

namespace stencilgen::testing::direct {

enum class StepTarget { Array, ProgramScalar, LocalScalar };

/// One statement of a call.
struct Step {
  const ast::DomainSpec* domain = nullptr;  ///< nullptr: it gives none
  ast::Access target;                       ///< a scalar has no indices
  AssignOp op = AssignOp::Assign;
  ast::ExprId value;
  StepTarget kind = StepTarget::Array;
  bool uniform = false;  ///< a local scalar with one value for all points
  bool computed = true;  ///< uniform: every element it reads exists
  bool update = false;   ///< compound, or reads what it assigns
  int group = -1;        ///< accumulation group; -1 for a program-level scalar
  Points points;         ///< where it is executed; unused for one value
  /// Of a program-level scalar: the points of each reduction in its value.
  std::map<const ast::Call*, Points> reductions = {};

  /// It has a point each instead of one value.
  bool HasPoints() const { return kind != StepTarget::ProgramScalar && !uniform; }
};

/// True where the value differs from point to point; `uniform` are the local scalars that do not.
bool Varies(Scope& scope, ast::ExprId id, const std::set<std::string>& uniform);

/// Declares the stencil's locals in the scope and gives its statements in order, in accumulation
/// groups, without points. An initial value of a local scalar is a statement.
/// Requires: the formals are bound; the stencil outlives the steps.
std::vector<Step> MakeSteps(Scope& scope, const ast::Stencil& stencil);

}  // namespace stencilgen::testing::direct
