#include <algorithm>
#include <vector>

#include "graph/print.h"
#include "graph/reduction.h"
#include "graph/regions.h"
#include "graph/verify_parts.h"
#include "graph/walk.h"

namespace stencilgen::graph {
namespace {

/// True where the largest of the values certainly exceeds `limit`: each upper bound does, hence
/// the least of them.
bool CertainlyAbove(const Interval& values, const LinearForm& limit) {
  return std::all_of(values.upper.begin(), values.upper.end(), [&](const Bound& bound) {
    // floor(n / d) > limit follows from n >= d * (limit + 1).
    return AlwaysNonNegative(bound.numerator - (limit + 1) * bound.divisor);
  });
}

bool CertainlyNegative(const Interval& values) {
  return std::all_of(values.lower.begin(), values.lower.end(), [](const Bound& bound) {
    // ceil(n / d) < 0 follows from n <= -d.
    return AlwaysNegative(bound.numerator + (bound.divisor - 1));
  });
}

class DomainVerifier {
 public:
  DomainVerifier(const Graph& graph, const Operator& op, Problems& problems)
      : graph_(graph), op_(op), problems_(problems) {}

  void Run() {
    for (std::size_t k = 0; k < op_.iterators.size(); ++k) {
      const Interval& interval = op_.domain.intervals[k];
      if (interval.lower.empty() || interval.upper.empty()) {
        problems_.Add("{}: iterator {} is not bounded on both sides", Name(op_),
                      graph_.iterators[static_cast<std::size_t>(op_.iterators[k])]);
        return;
      }
    }
    if (op_.reduction) {
      CheckReduction();
    } else {
      CheckInjective();
    }
    if (NeverRuns()) return;
    const Array& array = graph_.arrays[graph_.versions[op_.result].array];
    CheckInside(op_.target, {}, array, "writes");
    for (const Let& let : op_.lets) CheckReads(let.value);
    CheckReads(op_.value);
  }

 private:
  /// Each point has an element of its own where each iterator indexes some dimension.
  void CheckInjective() {
    for (const int iterator : op_.iterators) {
      if (std::none_of(op_.target.begin(), op_.target.end(),
                       [&](const Index& index) { return index.iterator == iterator; })) {
        problems_.Add("{}: its target lacks iterator {}", Name(op_),
                      graph_.iterators[static_cast<std::size_t>(iterator)]);
      }
    }
  }

  /// Lanes for each iterator, an element for each lane, and nothing of a version before.
  void CheckReduction() {
    const Reduction& reduction = *op_.reduction;
    const Array& array = graph_.arrays[graph_.versions[op_.result].array];
    if (op_.iterators.empty() || reduction.lanes.size() != op_.iterators.size() ||
        std::any_of(reduction.lanes.begin(), reduction.lanes.end(),
                    [](std::int64_t lanes) { return lanes < 1; })) {
      problems_.Add("{}: its reduction has not lanes for each iterator", Name(op_));
      return;
    }
    std::int64_t elements = 1;
    for (const LinearForm& extent : array.extents) {
      elements *= extent.IsConstant() ? extent.constant : 0;
    }
    if (array.rank() == 0 || elements != LanesOf(reduction)) {
      problems_.Add("{}: its reduction has {} lanes, but {} has other elements", Name(op_),
                    LanesOf(reduction), array.name);
    }
    if (!std::all_of(op_.target.begin(), op_.target.end(),
                     [](const Index& index) { return index == Index{}; })) {
      problems_.Add("{}: its reduction does not begin at the first element", Name(op_));
    }
    if (op_.background.Valid()) {
      problems_.Add("{}: its reduction has a background", Name(op_));
    }
    const bool truth = reduction.op == ReduceOp::Any || reduction.op == ReduceOp::All;
    if (truth != (graph_.exprs[op_.value].type == ScalarType::Bool)) {
      problems_.Add("{}: its reduction is of values of another type", Name(op_));
    }
  }

  bool NeverRuns() const {
    const Domain& domain = op_.domain;
    return std::any_of(domain.guards.begin(), domain.guards.end(), AlwaysNegative) ||
           std::any_of(domain.intervals.begin(), domain.intervals.end(), AlwaysEmpty);
  }

  /// Values that a condition chooses may be read where they do not exist: they are not chosen.
  void CheckReads(ExprId root) {
    std::vector<ExprId> pending = {root};
    while (!pending.empty()) {
      const Expr& expr = graph_.exprs[pending.back()];
      pending.pop_back();
      if (const auto* access = std::get_if<Access>(&expr.node)) {
        const Array& array = graph_.arrays[graph_.versions[access->version].array];
        CheckInside(access->indices, access->boundary, array, "reads");
      } else if (const auto* conditional = std::get_if<Conditional>(&expr.node)) {
        pending.push_back(conditional->condition);
      } else {
        const std::vector<ExprId> operands = Operands(expr);
        pending.insert(pending.end(), operands.rbegin(), operands.rend());
      }
    }
  }

  void CheckInside(const std::vector<Index>& indices, const std::vector<Boundary>& boundary,
                   const Array& array, std::string_view does) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (!boundary.empty() && boundary[d].kind != BoundaryKind::None) continue;
      const Interval values = IndexValues(op_, indices[d]);
      if (CertainlyAbove(values, array.extents[d] - 1) || CertainlyNegative(values)) {
        problems_.Add("{}: on its domain {} it {} {} outside dimension {}", Name(op_),
                      PrintDomain(graph_, op_), does, array.name, d + 1);
      }
    }
  }

  const Graph& graph_;
  const Operator& op_;
  Problems& problems_;
};

}  // namespace

void VerifyDomain(const Graph& graph, const Operator& op, Problems& problems) {
  DomainVerifier(graph, op, problems).Run();
}

}  // namespace stencilgen::graph
