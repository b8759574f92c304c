#include "support/ast_equal.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stencilgen::testing {
namespace {

using ast::ExprId;

class Comparison {
 public:
  Comparison(const ast::Program& a, const ast::Program& b) : a_(a), b_(b) {}

  /// Chains may be thousands of nodes long, so no recursion.
  bool Same(ExprId a, ExprId b) const {
    std::vector<std::pair<ExprId, ExprId>> pending = {{a, b}};
    while (!pending.empty()) {
      const auto [left, right] = pending.back();
      pending.pop_back();
      if (!SameNode(a_.exprs[left].node, b_.exprs[right].node, pending)) return false;
    }
    return true;
  }

  bool Same(const std::optional<ExprId>& a, const std::optional<ExprId>& b) const {
    return a.has_value() == b.has_value() && (!a || Same(*a, *b));
  }
  bool Same(const ast::Name& a, const ast::Name& b) const { return a.text == b.text; }
  bool Same(const ast::Range& a, const ast::Range& b) const {
    return Same(a.lo, b.lo) && Same(a.hi, b.hi);
  }
  bool Same(const std::optional<ast::Name>& a, const std::optional<ast::Name>& b) const {
    return a.has_value() == b.has_value() && (!a || Same(*a, *b));
  }
  bool Same(const std::optional<ast::DomainSpec>& a,
            const std::optional<ast::DomainSpec>& b) const {
    return a.has_value() == b.has_value() && (!a || Same(a->ranges, b->ranges));
  }
  bool Same(const ast::Parameter& a, const ast::Parameter& b) const {
    return Same(a.name, b.name) && Same(a.value, b.value);
  }
  bool Same(const ast::Declarator& a, const ast::Declarator& b) const {
    return Same(a.name, b.name) && Same(a.extents, b.extents) && Same(a.init, b.init);
  }
  bool Same(const ast::Declaration& a, const ast::Declaration& b) const {
    return a.type == b.type && a.format == b.format && a.complex == b.complex &&
           Same(a.declarators, b.declarators);
  }
  bool Same(const ast::NameList& a, const ast::NameList& b) const {
    return a.kind == b.kind && Same(a.names, b.names);
  }
  bool Same(const ast::BoundaryMode& a, const ast::BoundaryMode& b) const {
    return a.kind == b.kind && Same(a.value, b.value);
  }
  bool Same(const ast::BoundarySpec& a, const ast::BoundarySpec& b) const {
    return Same(a.array, b.array) && a.per_dimension == b.per_dimension && Same(a.modes, b.modes);
  }
  bool Same(const ast::UnrollFactor& a, const ast::UnrollFactor& b) const {
    return Same(a.iterator, b.iterator) && Same(a.factor, b.factor);
  }
  bool Same(const ast::UnrollSpec& a, const ast::UnrollSpec& b) const {
    return Same(a.factors, b.factors);
  }
  bool Same(const ast::Placement& a, const ast::Placement& b) const {
    return a.kind == b.kind && Same(a.names, b.names);
  }
  bool Same(const ast::Assignment& a, const ast::Assignment& b) const {
    return Same(a.domain, b.domain) && Same(a.target, b.target) && a.op == b.op &&
           Same(a.value, b.value);
  }
  bool Same(const ast::StencilCall& a, const ast::StencilCall& b) const {
    return Same(a.domain, b.domain) && Same(a.stencil, b.stencil) && Same(a.actuals, b.actuals);
  }
  bool Same(const ast::Swap& a, const ast::Swap& b) const {
    return Same(a.first, b.first) && Same(a.second, b.second);
  }
  bool Same(const ast::Every& a, const ast::Every& b) const {
    return Same(a.turns, b.turns) && Same(a.body, b.body);
  }
  bool Same(const ast::Iterate& a, const ast::Iterate& b) const {
    return Same(a.count, b.count) && Same(a.body, b.body) && Same(a.turn, b.turn) &&
           Same(a.until, b.until);
  }
  bool Same(const std::optional<ast::Until>& a, const std::optional<ast::Until>& b) const {
    return a.has_value() == b.has_value() &&
           (!a || (Same(a->condition, b->condition) && Same(a->every, b->every)));
  }
  bool Same(const ast::Formal& a, const ast::Formal& b) const {
    return Same(a.name, b.name) && a.inout == b.inout;
  }
  bool Same(const ast::Stencil& a, const ast::Stencil& b) const {
    return Same(a.name, b.name) && Same(a.formals, b.formals) && Same(a.items, b.items);
  }

  template <typename... Nodes>
  bool Same(const std::variant<Nodes...>& a, const std::variant<Nodes...>& b) const {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&](const auto& node) { return Same(node, std::get<std::decay_t<decltype(node)>>(b)); }, a);
  }

  template <typename T>
  bool Same(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const T& x, const T& y) { return Same(x, y); });
  }

 private:
  using Pending = std::vector<std::pair<ExprId, ExprId>>;
  using Node = decltype(ast::Expr::node);

  static void Push(const std::vector<ExprId>& a, const std::vector<ExprId>& b, Pending& pending) {
    for (std::size_t i = 0; i < a.size(); ++i) pending.emplace_back(a[i], b[i]);
  }

  static bool SameNode(const Node& a, const Node& b, Pending& pending) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&](const auto& node) {
          return Shallow(node, std::get<std::decay_t<decltype(node)>>(b), pending);
        },
        a);
  }

  static bool Shallow(const ast::IntLiteral& a, const ast::IntLiteral& b, Pending& /*pending*/) {
    return a.value == b.value;
  }
  static bool Shallow(const ast::FloatLiteral& a, const ast::FloatLiteral& b,
                      Pending& /*pending*/) {
    return a.value == b.value && a.single == b.single && a.imaginary == b.imaginary;
  }
  static bool Shallow(const ast::NameRef& a, const ast::NameRef& b, Pending& /*pending*/) {
    return a.name == b.name;
  }
  static bool Shallow(const ast::Access& a, const ast::Access& b, Pending& pending) {
    if (a.name.text != b.name.text || a.indices.size() != b.indices.size()) return false;
    Push(a.indices, b.indices, pending);
    return true;
  }
  static bool Shallow(const ast::Unary& a, const ast::Unary& b, Pending& pending) {
    pending.emplace_back(a.operand, b.operand);
    return a.op == b.op;
  }
  static bool Shallow(const ast::Binary& a, const ast::Binary& b, Pending& pending) {
    Push({a.lhs, a.rhs}, {b.lhs, b.rhs}, pending);
    return a.op == b.op;
  }
  static bool Shallow(const ast::Conditional& a, const ast::Conditional& b, Pending& pending) {
    Push({a.condition, a.then_value, a.else_value}, {b.condition, b.then_value, b.else_value},
         pending);
    return true;
  }
  static bool Shallow(const ast::Call& a, const ast::Call& b, Pending& pending) {
    if (a.function.text != b.function.text || a.arguments.size() != b.arguments.size()) {
      return false;
    }
    Push(a.arguments, b.arguments, pending);
    return true;
  }

  const ast::Program& a_;
  const ast::Program& b_;
};

}  // namespace

bool SameProgram(const ast::Program& a, const ast::Program& b) {
  const Comparison compare(a, b);
  return compare.Same(a.parameters, b.parameters) && compare.Same(a.iterators, b.iterators) &&
         compare.Same(a.declarations, b.declarations) && compare.Same(a.lists, b.lists) &&
         compare.Same(a.boundaries, b.boundaries) && compare.Same(a.unrolls, b.unrolls) &&
         compare.Same(a.stencils, b.stencils) && compare.Same(a.calls, b.calls);
}

bool SameExpr(const ast::Program& a, ast::ExprId in_a, const ast::Program& b, ast::ExprId in_b) {
  return Comparison(a, b).Same(in_a, in_b);
}

}  // namespace stencilgen::testing
