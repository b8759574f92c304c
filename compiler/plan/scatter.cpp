#include "plan/scatter.h"

#include <algorithm>
#include <map>

#include "graph/walk.h"
#include "plan/tile.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Binary;
using graph::Expr;
using graph::ExprId;

/// A term of the sum: its value times the product of `factors`.
struct PlaneTerm {
  bool negative = false;
  std::vector<ExprId> factors;
  ExprId value;
  std::int64_t plane = 0;
};

class Splitter {
 public:
  Splitter(graph::Graph& graph, const graph::Operator& op, std::size_t stream)
      : graph_(graph), op_(op), stream_(stream) {}

  std::optional<Scatter> Run() {
    const ScalarType type = graph_.exprs[op_.value].type;
    if (!op_.lets.empty() || !IsFloating(type) || MayReadNothing()) return std::nullopt;
    // A factor or divisor of the whole sum is applied to it once.
    ExprId sum = op_.value;
    std::vector<ExprId> around;
    while (const auto inner = Scaled(sum)) {
      around.push_back(sum);
      sum = *inner;
    }
    if (!Collect(sum, false, {})) return std::nullopt;
    const auto order = [](const PlaneTerm& a, const PlaneTerm& b) { return a.plane < b.plane; };
    const auto [low, high] = std::minmax_element(terms_.begin(), terms_.end(), order);
    if (low->plane == high->plane) return std::nullopt;
    Scatter scatter;
    scatter.first = low->plane;
    const std::int64_t last = high->plane;
    for (std::int64_t plane = scatter.first; plane <= last; ++plane) {
      scatter.parts.push_back(PartOf(plane));
    }
    scatter.finish = Add({graph::LetRef{Scatter::kSum}, type, graph_.exprs[sum].span});
    for (std::size_t n = around.size(); n-- > 0;) {
      Expr outer = graph_.exprs[around[n]];
      auto& binary = std::get<Binary>(outer.node);
      const ExprId inside = n + 1 < around.size() ? around[n + 1] : sum;
      (binary.lhs == inside ? binary.lhs : binary.rhs) = scatter.finish;
      scatter.finish = Add(std::move(outer));
    }
    return scatter;
  }

 private:
  /// Parts are summed whether the operator has points or not: where it has none, an element at a
  /// fixed place, of a time series that has ended, does not exist.
  bool MayReadNothing() const {
    if (op_.domain.guards.empty()) return false;
    const std::vector<ExprId> accesses = graph::Accesses(graph_, op_);
    return std::any_of(accesses.begin(), accesses.end(), [&](ExprId id) {
      const auto& indices = std::get<graph::Access>(graph_.exprs[id].node).indices;
      return !indices.empty() && std::all_of(indices.begin(), indices.end(),
                                             [](const auto& index) { return index.iterator < 0; });
    });
  }

  ExprId Add(Expr expr) { return graph_.exprs.Add(std::move(expr)); }

  /// True where the value is the same at every point of the program.
  bool IsConstant(ExprId id) const { return graph::IsUniform(graph_, id, {}); }

  /// The sum that the expression is a constant multiple of; empty where it is none.
  std::optional<ExprId> Scaled(ExprId id) const {
    const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node);
    if (binary == nullptr) return std::nullopt;
    if (binary->op == BinaryOp::Mul && IsConstant(binary->lhs)) return binary->rhs;
    const bool scales = binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div;
    if (scales && IsConstant(binary->rhs)) return binary->lhs;
    return std::nullopt;
  }

  /// Takes the sum apart; false where some term cannot be given to one plane.
  bool Collect(ExprId id, bool negative, const std::vector<ExprId>& factors) {
    constexpr std::size_t kMostTerms = 4096;
    if (terms_.size() >= kMostTerms) return false;
    const Expr expr = graph_.exprs[id];
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (binary != nullptr && IsSum(*binary)) return CollectSum(id, negative, factors);
    if (const auto* unary = std::get_if<graph::Unary>(&expr.node);
        unary != nullptr && unary->op == UnaryOp::Negate) {
      return Collect(unary->operand, !negative, factors);
    }
    if (const auto plane = PlaneOf(id)) {
      terms_.push_back({negative, factors, id, *plane});
      return true;
    }
    // Planes meet below a product: its constant goes into each of them.
    if (binary != nullptr && binary->op == BinaryOp::Mul && Scaled(id)) {
      const bool left = IsConstant(binary->lhs);
      std::vector<ExprId> more = factors;
      more.push_back(left ? binary->lhs : binary->rhs);
      return Collect(left ? binary->rhs : binary->lhs, negative, more);
    }
    return false;
  }

  static bool IsSum(const Binary& binary) {
    return binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub;
  }
  /// A sum of thousands of terms must not recurse once a term.
  bool CollectSum(ExprId sum, bool negative, const std::vector<ExprId>& factors) {
    std::vector<std::pair<ExprId, bool>> operands;  // last first
    for (;;) {
      const auto* binary = std::get_if<Binary>(&graph_.exprs[sum].node);
      if (binary == nullptr || !IsSum(*binary)) break;
      operands.emplace_back(binary->rhs, negative != (binary->op == BinaryOp::Sub));
      sum = binary->lhs;
    }
    operands.emplace_back(sum, negative);
    return std::all_of(operands.rbegin(), operands.rend(), [&](const auto& operand) {
      return Collect(operand.first, operand.second, factors);
    });
  }

  /// The one plane that everything below reads; empty where there are several, or where something
  /// is not read at a fixed distance.
  std::optional<std::int64_t> PlaneOf(ExprId root) const {
    std::vector<ExprId> accesses;
    graph::CollectAccesses(graph_, root, accesses);
    std::optional<std::int64_t> plane;
    bool reads_iterator = false;
    graph::Walk(graph_, root, [&](ExprId id) {
      const auto& node = graph_.exprs[id].node;
      reads_iterator = reads_iterator || std::holds_alternative<graph::IteratorRef>(node);
    });
    if (reads_iterator) return std::nullopt;
    for (ExprId id : accesses) {
      const auto& access = std::get<Access>(graph_.exprs[id].node);
      const bool fixed = std::all_of(access.indices.begin(), access.indices.end(),
                                     [](const graph::Index& i) { return i.iterator < 0; });
      if (fixed) continue;
      const auto offset = NeighbourOffset(op_, access);
      if (!offset || (plane && *plane != (*offset)[stream_])) return std::nullopt;
      plane = (*offset)[stream_];
    }
    return plane.value_or(0);
  }

  /// The sum of a plane's terms, those of equal factors together.
  ExprId PartOf(std::int64_t plane) {
    std::vector<std::vector<ExprId>> factors;
    std::vector<ExprId> sums;
    for (const PlaneTerm& term : terms_) {
      if (term.plane != plane) continue;
      std::size_t at = 0;
      while (at < factors.size() && factors[at] != term.factors) ++at;
      if (at == factors.size()) {
        factors.push_back(term.factors);
        sums.emplace_back();
      }
      sums[at] = Plus(sums[at], term.value, term.negative);
    }
    ExprId part;
    for (std::size_t n = 0; n < sums.size(); ++n) {
      ExprId product = sums[n];
      for (ExprId factor : factors[n]) product = Join(BinaryOp::Mul, factor, product);
      part = Plus(part, product, false);
    }
    return part;
  }
  ExprId Plus(ExprId sum, ExprId term, bool negative) {
    if (sum.Valid()) return Join(negative ? BinaryOp::Sub : BinaryOp::Add, sum, term);
    if (!negative) return term;
    const Expr operand = graph_.exprs[term];
    return Add({graph::Unary{UnaryOp::Negate, term}, operand.type, operand.span});
  }
  ExprId Join(BinaryOp op, ExprId lhs, ExprId rhs) {
    const Expr operand = graph_.exprs[rhs];
    return Add({Binary{op, lhs, rhs}, operand.type, operand.span});
  }

  graph::Graph& graph_;
  const graph::Operator& op_;
  std::size_t stream_;
  std::vector<PlaneTerm> terms_;
};

}  // namespace

std::optional<Scatter> FindScatter(graph::Graph& graph, const graph::Operator& op,
                                   std::size_t stream) {
  return Splitter(graph, op, stream).Run();
}

std::optional<Scatter> FindScatter(graph::Graph& graph, const graph::Operator& op,
                                   const Schedule& schedule) {
  if (!schedule.stream || schedule.form == Form::Gather) return std::nullopt;
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), schedule.stream->iterator);
  if (at == op.iterators.end() || op.iterators.size() != op.target.size()) return std::nullopt;
  return FindScatter(graph, op, static_cast<std::size_t>(at - op.iterators.begin()));
}

}  // namespace stencilgen::plan
