#include "lower/domain_bounds.h"

#include <utility>
#include <vector>

#include "support/operators.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using kernel::Expr;

Expr BoundOf(const graph::Bound& bound, kernel::Routine rounding,
             const std::function<Expr(const LinearForm&)>& form) {
  const Expr numerator = form(bound.numerator);
  if (bound.divisor == 1) return numerator;
  return kernel::Call(rounding, kernel::kIndex, {numerator, kernel::Number(bound.divisor)});
}

/// The largest or least of the bounds.
Expr EndOf(const std::vector<graph::Bound>& bounds, kernel::Routine rounding,
           kernel::Routine extreme, const std::function<Expr(const LinearForm&)>& form) {
  std::vector<Expr> candidates;
  for (const graph::Bound& bound : bounds) candidates.push_back(BoundOf(bound, rounding, form));
  if (candidates.size() == 1) return candidates.front();
  return kernel::Call(extreme, kernel::kIndex, std::move(candidates));
}

}  // namespace

Expr LowerOf(const graph::Interval& interval, const std::function<Expr(const LinearForm&)>& form) {
  return EndOf(interval.lower, kernel::Routine::CeilDiv, kernel::Routine::Largest, form);
}

Expr UpperOf(const graph::Interval& interval, const std::function<Expr(const LinearForm&)>& form) {
  return EndOf(interval.upper, kernel::Routine::FloorDiv, kernel::Routine::Least, form);
}

Expr GuardOf(const graph::Domain& domain, const std::function<Expr(const LinearForm&)>& form) {
  std::vector<Expr> conditions;
  for (const LinearForm& guard : domain.guards) {
    conditions.push_back(kernel::Apply(BinaryOp::GreaterEqual, form(guard), kernel::Number(0)));
  }
  return kernel::And(conditions);
}

}  // namespace stencilgen::lower
