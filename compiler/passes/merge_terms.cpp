#include "passes/merge_terms.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/extrapolated.h"

namespace stencilgen::passes {
namespace {

using graph::Binary;
using graph::Expr;
using graph::ExprId;
using graph::Literal;

/// `coefficient * base`, or the coefficient alone where there is no base.
struct Term {
  double coefficient = 1;
  ExprId base;
};

const double* LiteralAt(const graph::Graph& graph, ExprId id) {
  const auto* literal = std::get_if<Literal>(&graph.exprs[id].node);
  return literal == nullptr ? nullptr : &literal->value;
}

/// True for two names of one value.
bool AreEqual(const graph::Graph& graph, ExprId a, ExprId b) {
  if (a == b) return true;
  if (!a.Valid() || !b.Valid()) return false;
  const auto& left = graph.exprs[a].node;
  const auto& right = graph.exprs[b].node;
  if (left.index() != right.index()) return false;
  if (const auto* access = std::get_if<graph::Access>(&left)) {
    const auto& other = std::get<graph::Access>(right);
    return access->version == other.version && access->indices == other.indices &&
           access->boundary == other.boundary;
  }
  if (const auto* let = std::get_if<graph::LetRef>(&left)) {
    return let->let == std::get<graph::LetRef>(right).let;
  }
  if (graph::Extrapolated(graph, a) != nullptr) return graph::AreSameElement(graph, a, b);
  const auto* parameter = std::get_if<graph::ParameterRef>(&left);
  return parameter != nullptr &&
         parameter->parameter == std::get<graph::ParameterRef>(right).parameter;
}

class Merger {
 public:
  explicit Merger(graph::Graph graph)
      : graph_(std::move(graph)), inside_(graph_.exprs.size(), false) {}

  graph::Graph Run() {
    // Whole sums before their parts, which come before them in the store.
    for (std::size_t n = graph_.exprs.size(); n-- > 0;) {
      const ExprId id{static_cast<std::uint32_t>(n)};
      if (const Binary* line = graph::Extrapolated(graph_, id)) KeepWhole(*line);
      const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node);
      if (inside_[n] || binary == nullptr || !IsSum(*binary)) continue;
      if (IsFloating(graph_.exprs[id].type)) Merge(id);
    }
    return std::move(graph_);
  }

 private:
  static bool IsSum(const Binary& binary) {
    return binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub;
  }

  /// What is read beyond an end is a value like an element: where the end is far, it is one.
  void KeepWhole(const Binary& line) {
    const auto& slope = std::get<Binary>(graph_.exprs[line.rhs].node);
    for (const ExprId part : {line.lhs, line.rhs, slope.lhs, slope.rhs}) {
      inside_[part.index] = true;
    }
  }

  void Merge(ExprId root) {
    const ScalarType type = graph_.exprs[root].type;
    terms_.clear();
    flops_ = 0;
    if (!Collect(root)) return;
    std::vector<Term> merged;
    for (const Term& term : terms_) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Term& each) {
        return AreEqual(graph_, each.base, term.base);
      });
      if (same == merged.end()) {
        merged.push_back(term);
      } else {
        same->coefficient += term.coefficient;
      }
    }
    if (merged.size() == terms_.size()) return;
    merged.erase(std::remove_if(merged.begin(), merged.end(),
                                [](const Term& term) { return term.coefficient == 0; }),
                 merged.end());
    for (Term& term : merged) {
      if (type == ScalarType::Float) {
        term.coefficient = static_cast<double>(static_cast<float>(term.coefficient));
        if (!std::isnormal(static_cast<float>(term.coefficient))) return;
      }
      if (!std::isnormal(term.coefficient)) return;
    }
    if (merged.empty() || FlopsOf(merged) >= flops_) return;
    const Expr like = graph_.exprs[root];  // Sum makes room for more expressions
    graph_.exprs[root].node = Expr(graph_.exprs[Sum(merged, like)]).node;
  }

  /// Takes the sum apart and counts its operations; false where it has too many terms.
  bool Collect(ExprId root) {
    constexpr std::size_t kMostTerms = 512;
    std::vector<Term> pending = {{1, root}};
    while (!pending.empty()) {
      const auto [coefficient, id] = pending.back();
      pending.pop_back();
      if (terms_.size() == kMostTerms) return false;
      const auto& node = graph_.exprs[id].node;
      if (const double* literal = LiteralAt(graph_, id)) {
        terms_.push_back({coefficient * *literal, {}});
        continue;
      }
      if (const auto* unary = std::get_if<graph::Unary>(&node);
          unary != nullptr && unary->op == UnaryOp::Negate) {
        Enter(pending, -coefficient, unary->operand);
        ++flops_;
        continue;
      }
      const auto* binary = std::get_if<Binary>(&node);
      const bool whole = graph::Extrapolated(graph_, id) != nullptr;
      if (binary != nullptr && IsSum(*binary) && !whole) {
        const double sign = binary->op == BinaryOp::Sub ? -1 : 1;
        Enter(pending, sign * coefficient, binary->rhs);
        Enter(pending, coefficient, binary->lhs);
        ++flops_;
        continue;
      }
      if (binary != nullptr && binary->op == BinaryOp::Mul) {
        const double* left = LiteralAt(graph_, binary->lhs);
        const double* right = LiteralAt(graph_, binary->rhs);
        if (left != nullptr || right != nullptr) {
          const double factor = left != nullptr ? *left : *right;
          Enter(pending, coefficient * factor, left != nullptr ? binary->rhs : binary->lhs);
          ++flops_;
          continue;
        }
      }
      terms_.push_back({coefficient, id});
    }
    return true;
  }
  void Enter(std::vector<Term>& pending, double coefficient, ExprId id) {
    if (id.index < inside_.size()) inside_[id.index] = true;
    pending.push_back({coefficient, id});
  }

  /// Terms of one coefficient, whatever its sign, in the order of the sum.
  static std::vector<std::vector<Term>> Groups(const std::vector<Term>& terms) {
    std::vector<std::vector<Term>> groups;
    for (const Term& term : terms) {
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return term.base.Valid() && group[0].base.Valid() &&
               std::abs(group[0].coefficient) == std::abs(term.coefficient);
      });
      if (same == groups.end()) {
        groups.push_back({term});
      } else {
        same->push_back(term);
      }
    }
    // What begins a sum, or a group, is not negative where that can be.
    const auto is_positive = [](const Term& term) { return term.coefficient > 0; };
    for (auto& group : groups) {
      std::stable_partition(group.begin(), group.end(), is_positive);
    }
    std::stable_partition(groups.begin(), groups.end(),
                          [&](const auto& group) { return is_positive(group[0]); });
    return groups;
  }
  static std::int64_t FlopsOf(const std::vector<Term>& terms) {
    auto flops = static_cast<std::int64_t>(terms.size()) - 1;
    const auto groups = Groups(terms);
    for (const auto& group : groups) {
      const bool scales = group[0].base.Valid() && std::abs(group[0].coefficient) != 1;
      flops += scales ? 1 : 0;
    }
    return flops + (groups[0][0].coefficient < 0 ? 1 : 0);
  }

  ExprId Add(Expr like, decltype(Expr::node) node) {
    like.node = std::move(node);
    return graph_.exprs.Add(std::move(like));
  }
  ExprId Sum(const std::vector<Term>& terms, const Expr& like) {
    ExprId sum;
    for (const auto& group : Groups(terms)) {
      const bool negative = group[0].coefficient < 0;
      const double scale = std::abs(group[0].coefficient);
      ExprId part = group[0].base;
      for (std::size_t n = 1; n < group.size(); ++n) {
        const bool differs = (group[n].coefficient < 0) != negative;
        part = Add(like, Binary{differs ? BinaryOp::Sub : BinaryOp::Add, part, group[n].base});
      }
      if (!part.Valid() || scale != 1) {
        Literal literal;
        literal.value = scale;
        const ExprId factor = Add(like, literal);
        part = part.Valid() ? Add(like, Binary{BinaryOp::Mul, factor, part}) : factor;
      }
      if (sum.Valid()) {
        sum = Add(like, Binary{negative ? BinaryOp::Sub : BinaryOp::Add, sum, part});
      } else {
        sum = negative ? Add(like, graph::Unary{UnaryOp::Negate, part}) : part;
      }
    }
    return sum;
  }

  graph::Graph graph_;
  std::vector<bool> inside_;  ///< by expression: of a sum that was looked at
  std::vector<Term> terms_;
  std::int64_t flops_ = 0;
};

}  // namespace

graph::Graph MergeTerms(graph::Graph graph) {
  return Merger(std::move(graph)).Run();
}

}  // namespace stencilgen::passes
