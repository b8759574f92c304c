#include "sema/extrapolate.h"

#include <algorithm>
#include <utility>

namespace stencilgen::sema {

graph::ExprId AddExtrapolated(Context& context, graph::Access access,
                              const std::vector<bool>& marks, ScalarType type, Span span) {
  const auto next = std::find(marks.begin(), marks.end(), true);
  if (next == marks.end()) return context.graph.exprs.Add({std::move(access), type, span});
  const auto d = static_cast<std::size_t>(next - marks.begin());
  std::vector<bool> others = marks;
  others[d] = false;
  const auto read = [&](graph::BoundaryKind kind) {
    access.boundary[d] = {kind, 0};
    return AddExtrapolated(context, access, others, type, span);
  };
  const graph::ExprId end = read(graph::BoundaryKind::Clamp);
  const graph::ExprId inside = read(graph::BoundaryKind::Mirror101);
  const graph::ExprId again = read(graph::BoundaryKind::Clamp);
  const graph::ExprId slope =
      context.graph.exprs.Add({graph::Binary{BinaryOp::Sub, inside, again}, type, span});
  return context.graph.exprs.Add({graph::Binary{BinaryOp::Sub, end, slope}, type, span});
}

}  // namespace stencilgen::sema
