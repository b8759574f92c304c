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

/// True for two names of one value, or products of so many of them at most.
bool AreEqual(const graph::Graph& graph, ExprId a, ExprId b, int factors = 3) {
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
  if (const auto* literal = std::get_if<Literal>(&left)) {
    return literal->value == std::get<Literal>(right).value;
  }
  if (const auto* binary = std::get_if<Binary>(&left)) {
    const auto& other = std::get<Binary>(right);
    return factors > 1 && binary->op == BinaryOp::Mul && other.op == BinaryOp::Mul &&
           AreEqual(graph, binary->lhs, other.lhs, factors - 1) &&
           AreEqual(graph, binary->rhs, other.rhs, 1);
  }
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

  /// A sum taken apart.
  struct Parts {
    std::vector<Term> terms;
    std::int64_t flops = 0;       ///< of what joins them
    std::vector<ExprId> entered;  ///< what it consists of
  };

  void Merge(ExprId root) {
    const Expr like = graph_.exprs[root];  // Sum makes room for more expressions
    Parts parts;
    if (!Collect({1, root}, parts)) return;
    Enter(parts);
    const std::int64_t before = parts.flops;
    const std::size_t count = parts.terms.size();
    const std::int64_t saved = TakeOutFactors(parts, like);
    std::vector<Term> merged = Merged(parts.terms);
    if (merged.size() == count) return;
    if (!Fit(merged, like.type) || FlopsOf(merged) >= before + saved) return;
    graph_.exprs[root].node = Expr(graph_.exprs[Sum(merged, like)]).node;
  }

  /// Equal elements added up.
  std::vector<Term> Merged(const std::vector<Term>& terms) const {
    std::vector<Term> merged;
    for (const Term& term : terms) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Term& each) {
        return AreEqual(graph_, each.base, term.base);
      });
      if (same == merged.end()) {
        merged.push_back(term);
      } else {
        same->coefficient += term.coefficient;
      }
    }
    return merged;
  }
  /// Drops what has come to nothing; false where nothing is left or a coefficient does not fit.
  static bool Fit(std::vector<Term>& terms, ScalarType type) {
    terms.erase(std::remove_if(terms.begin(), terms.end(),
                               [](const Term& term) { return term.coefficient == 0; }),
                terms.end());
    for (Term& term : terms) {
      if (type == ScalarType::Float) {
        term.coefficient = static_cast<double>(static_cast<float>(term.coefficient));
        if (!std::isnormal(static_cast<float>(term.coefficient))) return false;
      }
      if (!std::isnormal(term.coefficient)) return false;
    }
    return !terms.empty();
  }

  /// `x*(a - 2*u + b) + x*(c - 2*u + d)` becomes `x*(a + b + c + d - 4*u)`, where sums that one
  /// value scales have elements in common. Returns the operations that it saves beside those of
  /// `parts`, less those that it adds.
  std::int64_t TakeOutFactors(Parts& parts, const Expr& like) {
    std::int64_t saved = 0;
    for (std::size_t n = 0; n < parts.terms.size(); ++n) {
      const Binary* product = ProductAt(parts.terms[n].base);
      if (product == nullptr) continue;
      for (const ExprId factor : {product->lhs, product->rhs}) {
        const auto gain = TakeOut(factor, parts, n, like);
        saved += gain;
        if (gain > 0) break;
      }
    }
    return saved;
  }
  /// Of all terms from the n-th on that are products of the factor.
  std::int64_t TakeOut(ExprId factor, Parts& parts, std::size_t first, const Expr& like) {
    Parts inner;
    std::vector<Term> others(parts.terms.begin(),
                             parts.terms.begin() + static_cast<std::ptrdiff_t>(first));
    std::int64_t products = 0;
    for (std::size_t n = first; n < parts.terms.size(); ++n) {
      const Term& term = parts.terms[n];
      const Binary* product = ProductAt(term.base);
      const bool left = product != nullptr && AreEqual(graph_, product->lhs, factor);
      const bool right = product != nullptr && !left && AreEqual(graph_, product->rhs, factor);
      if (!left && !right) {
        others.push_back(term);
        continue;
      }
      ++products;
      inner.entered.push_back(term.base);
      if (!Collect({term.coefficient, left ? product->rhs : product->lhs}, inner)) return 0;
    }
    std::vector<Term> merged = Merged(inner.terms);
    if (products < 2 || merged.size() == inner.terms.size()) return 0;
    if (!Fit(merged, like.type)) return 0;
    // Sums of products are as many operations as products of sums.
    const std::int64_t gain = inner.flops + products - 1 - FlopsOf(merged) + products - 1;
    if (gain <= 0) return 0;
    Enter(inner);
    const ExprId base = Add(like, Binary{BinaryOp::Mul, factor, Sum(merged, like)});
    others.insert(others.begin() + static_cast<std::ptrdiff_t>(first), Term{1, base});
    parts.terms = std::move(others);
    return gain - (products - 1);
  }
  /// Null where it is no product of two values.
  const Binary* ProductAt(ExprId id) const {
    if (!id.Valid()) return nullptr;
    const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node);
    return binary != nullptr && binary->op == BinaryOp::Mul ? binary : nullptr;
  }

  /// Takes a sum apart and counts its operations; false where it has too many terms.
  bool Collect(const Term& sum, Parts& parts) const {
    constexpr std::size_t kMostTerms = 512;
    std::vector<Term> pending = {sum};
    const auto enter = [&](double coefficient, ExprId id) {
      parts.entered.push_back(id);
      pending.push_back({coefficient, id});
    };
    while (!pending.empty()) {
      const auto [coefficient, id] = pending.back();
      pending.pop_back();
      if (parts.terms.size() == kMostTerms) return false;
      const auto& node = graph_.exprs[id].node;
      if (const double* literal = LiteralAt(graph_, id)) {
        parts.terms.push_back({coefficient * *literal, {}});
        continue;
      }
      if (const auto* unary = std::get_if<graph::Unary>(&node);
          unary != nullptr && unary->op == UnaryOp::Negate) {
        enter(-coefficient, unary->operand);
        ++parts.flops;
        continue;
      }
      const auto* binary = std::get_if<Binary>(&node);
      const bool whole = graph::Extrapolated(graph_, id) != nullptr;
      if (binary != nullptr && IsSum(*binary) && !whole) {
        const double sign = binary->op == BinaryOp::Sub ? -1 : 1;
        enter(sign * coefficient, binary->rhs);
        enter(coefficient, binary->lhs);
        ++parts.flops;
        continue;
      }
      if (binary != nullptr && binary->op == BinaryOp::Mul) {
        const double* left = LiteralAt(graph_, binary->lhs);
        const double* right = LiteralAt(graph_, binary->rhs);
        if (left != nullptr || right != nullptr) {
          const double factor = left != nullptr ? *left : *right;
          enter(coefficient * factor, left != nullptr ? binary->rhs : binary->lhs);
          ++parts.flops;
          continue;
        }
      }
      parts.terms.push_back({coefficient, id});
    }
    return true;
  }
  /// What is a part of a sum that was looked at is none by itself.
  void Enter(const Parts& parts) {
    for (const ExprId id : parts.entered) {
      if (id.index < inside_.size()) inside_[id.index] = true;
    }
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
};

}  // namespace

graph::Graph MergeTerms(graph::Graph graph) {
  return Merger(std::move(graph)).Run();
}

}  // namespace stencilgen::passes
