#include "passes/fold_scale.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "graph/walk.h"

namespace stencilgen::passes {
namespace {

using graph::Binary;
using graph::Expr;
using graph::ExprId;
using graph::Literal;

bool IsLiteral(const graph::Graph& graph, ExprId id) {
  return std::holds_alternative<Literal>(graph.exprs[id].node);
}

/// Multiplies one expression by a constant, where literals below it can take that.
class Folder {
 public:
  Folder(graph::Graph& graph, double factor, ScalarType type)
      : graph_(graph), factor_(factor), type_(type) {}

  /// The product, without a multiplication of its own. Empty where some term has no literal.
  std::optional<ExprId> Fold(ExprId root) {
    if (!Find(root)) return std::nullopt;
    // Others may share what is below: the way to each literal is made anew, operands first.
    std::map<ExprId, ExprId> scaled;
    for (std::size_t n = changed_.size(); n-- > 0;) {
      Expr expr = graph_.exprs[changed_[n].first];
      if (auto* literal = std::get_if<Literal>(&expr.node)) {
        literal->value = *Scaled(literal->value);
      } else {
        const ExprId taken = changed_[n].second;
        graph::ReplaceOperands(expr, [&](ExprId operand) {
          const bool sum = !taken.Valid();
          return sum || operand == taken ? scaled.at(operand) : operand;
        });
      }
      scaled[changed_[n].first] = graph_.exprs.Add(std::move(expr));
    }
    return scaled.at(root);
  }

 private:
  /// Lists what changes, each before its operands.
  bool Find(ExprId root) {
    constexpr std::size_t kMost = 1024;
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (changed_.size() == kMost) return false;
      const Expr& expr = graph_.exprs[id];
      ExprId taken;
      if (const auto* literal = std::get_if<Literal>(&expr.node)) {
        if (!Scaled(literal->value)) return false;
      } else if (const auto* binary = std::get_if<Binary>(&expr.node)) {
        if (binary->op == BinaryOp::Mul) {
          taken = FactorOf(*binary);
          // A square has its one operand twice: only one of them may be scaled.
          if (binary->lhs == binary->rhs) return false;
          pending.push_back(taken);
        } else if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) {
          pending.push_back(binary->rhs);
          pending.push_back(binary->lhs);
        } else {
          return false;
        }
      } else {
        const auto* unary = std::get_if<graph::Unary>(&expr.node);
        if (unary == nullptr || unary->op == UnaryOp::Not) return false;
        pending.push_back(unary->operand);
      }
      changed_.emplace_back(id, taken);
    }
    return true;
  }

  /// The factor that may have literals: one takes the constant.
  ExprId FactorOf(const Binary& product) const {
    if (IsLiteral(graph_, product.rhs)) return product.rhs;
    const bool left = LeadsToLiteral(product.lhs);
    const bool right = std::holds_alternative<Binary>(graph_.exprs[product.rhs].node);
    return right && !left ? product.rhs : product.lhs;
  }
  bool LeadsToLiteral(ExprId id) const {
    for (;;) {
      if (IsLiteral(graph_, id)) return true;
      const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node);
      if (binary == nullptr || binary->op != BinaryOp::Mul) return false;
      if (IsLiteral(graph_, binary->rhs)) return true;
      id = binary->lhs;
    }
  }

  /// The literal times the factor, where that is as exact as any number of the type.
  std::optional<double> Scaled(double value) const {
    const double exact = value * factor_;
    if (value == 0) return exact;
    if (type_ == ScalarType::Float) {
      const auto rounded = static_cast<float>(exact);
      if (!std::isnormal(rounded)) return std::nullopt;
      return static_cast<double>(rounded);
    }
    if (!std::isnormal(exact)) return std::nullopt;
    return exact;
  }

  graph::Graph& graph_;
  const double factor_;
  const ScalarType type_;
  /// With, for a product, the operand that is scaled.
  std::vector<std::pair<ExprId, ExprId>> changed_;
};

}  // namespace

graph::Graph FoldScale(graph::Graph graph) {
  // Scales in scales make copies of copies: enough for any program, not for a contrived one.
  const std::size_t most_exprs = 4 * graph.exprs.size() + 4096;
  for (const ExprId id : graph.exprs.Ids()) {
    if (graph.exprs.size() > most_exprs) break;
    const Expr expr = graph.exprs[id];
    const auto* product = std::get_if<Binary>(&expr.node);
    if (product == nullptr || product->op != BinaryOp::Mul || !IsFloating(expr.type)) continue;
    const bool left = IsLiteral(graph, product->lhs);
    const ExprId literal = left ? product->lhs : product->rhs;
    if (!IsLiteral(graph, literal)) continue;
    const double factor = std::get<Literal>(graph.exprs[literal].node).value;
    if (!std::isfinite(factor)) continue;
    const auto folded = Folder(graph, factor, expr.type).Fold(left ? product->rhs : product->lhs);
    if (folded) graph.exprs[id].node = Expr(graph.exprs[*folded]).node;
  }
  return graph;
}

}  // namespace stencilgen::passes
