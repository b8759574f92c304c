#include "sema/places.h"

#include <vector>

#include "support/match.h"

namespace stencilgen::sema {

bool IsPlace(const Context& context, const Resolver& resolve, ast::ExprId index) {
  std::vector<ast::ExprId> pending = {index};
  while (!pending.empty()) {
    const ast::ExprId id = pending.back();
    pending.pop_back();
    const bool varies = Match(
        context.ast.exprs[id].node, [](const ast::Access&) { return true; },
        [&](const ast::NameRef& ref) {
          const RefKind kind = resolve(ref.name).kind;
          return kind == RefKind::Array || kind == RefKind::LocalScalar;
        },
        [&](const ast::Unary& unary) {
          pending.push_back(unary.operand);
          return false;
        },
        [&](const ast::Binary& binary) {
          pending.insert(pending.end(), {binary.lhs, binary.rhs});
          return false;
        },
        [&](const ast::Conditional& each) {
          pending.insert(pending.end(), {each.condition, each.then_value, each.else_value});
          return false;
        },
        [&](const ast::Call& call) {
          pending.insert(pending.end(), call.arguments.begin(), call.arguments.end());
          return false;
        },
        [](const auto&) { return false; });
    if (varies) return true;
  }
  return false;
}

std::vector<graph::Boundary> WithPlaces(const std::vector<graph::Index>& indices,
                                        std::vector<graph::Boundary> boundary) {
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d].place.Valid()) continue;
    if (boundary.empty()) boundary.resize(indices.size());
    if (boundary[d].kind == graph::BoundaryKind::None) {
      boundary[d] = {graph::BoundaryKind::Constant, 0};
    }
  }
  return boundary;
}

}  // namespace stencilgen::sema
