#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/graph.h"
#include "passes/value_numbers.h"

namespace stencilgen::passes {

/// A value that an operator computes at a point: which one, and how far from there it belongs.
struct ShiftedValue {
  int number = -1;  ///< the same for expressions that are alike but for a shift; -1: has none
  std::vector<std::int64_t> offset;  ///< by iterator of the graph; 0 where it does not depend on it
};

/// What all expressions with one number have in common.
struct ShiftClass {
  std::vector<bool> iterators;  ///< by iterator of the graph: it depends on it
  ScalarType type = ScalarType::Double;
  std::int64_t own = 0;   ///< graph::SlowOperations of the expression itself
  std::int64_t slow = 0;  ///< the same with its operands
};

/// Numbers of expressions, the same where these are alike once what one of them reads is moved by
/// a constant number of points: `sqrt(g*h[j][i-1])` and `sqrt(g*h[j][i])`. They read the same
/// versions; boundary modes do not tell them apart. Operands have lower numbers than what is made
/// of them. An expression has none where it depends on a place that is a value, on the iterators
/// themselves, or on elements other than `a[i + c]` and
/// `a[M - 1]`.
class ShiftedValues {
 public:
  using Numbered = std::map<graph::ExprId, ShiftedValue>;

  /// Requires: the graph outlives it.
  explicit ShiftedValues(const graph::Graph& graph) : graph_(graph) {}

  /// Every expression of the operator's lets and value; of a reference to a let what that is.
  Numbered Number(const graph::Operator& op);

  const std::vector<ShiftClass>& classes() const { return classes_; }

 private:
  ShiftedValue NumberOf(graph::ExprId id, const Numbered& numbered,
                        const std::vector<ShiftedValue>& lets);
  ShiftedValue NumberAccess(const graph::Expr& expr);
  ShiftedValue NumberWhole(const graph::Expr& expr, const Numbered& numbered);
  int ClassOf(ExprKey key, ShiftClass made);

  const graph::Graph& graph_;
  std::map<ExprKey, int> numbers_;
  std::vector<ShiftClass> classes_;
};

}  // namespace stencilgen::passes
