#include "graph/form_value.h"

namespace stencilgen::graph {

ExprId AddFormValue(Graph& graph, const LinearForm& form, const Expr& like) {
  const auto number = [&](std::int64_t value) {
    return graph.exprs.Add({Literal{static_cast<double>(value), value}, like.type, like.span});
  };
  const auto apply = [&](BinaryOp op, ExprId lhs, ExprId rhs) {
    return graph.exprs.Add({Binary{op, lhs, rhs}, like.type, like.span});
  };
  ExprId sum;
  for (const auto& [parameter, coefficient] : form.terms) {
    ExprId term = graph.exprs.Add({ParameterRef{parameter}, like.type, like.span});
    if (coefficient != 1) term = apply(BinaryOp::Mul, number(coefficient), term);
    sum = sum.Valid() ? apply(BinaryOp::Add, sum, term) : term;
  }
  if (!sum.Valid()) return number(form.constant);
  if (form.constant < 0) return apply(BinaryOp::Sub, sum, number(-form.constant));
  return form.constant == 0 ? sum : apply(BinaryOp::Add, sum, number(form.constant));
}

}  // namespace stencilgen::graph
