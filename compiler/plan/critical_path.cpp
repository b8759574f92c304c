#include "plan/critical_path.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/walk.h"

namespace stencilgen::plan {
namespace {

using graph::Binary;
using graph::Expr;
using graph::ExprId;
using graph::Graph;
using graph::Operator;

// Cycles, as microbenchmarks of recent GPUs report them.
constexpr double kShared = 30;     ///< from shared memory, or of another lane
constexpr double kBarrier = 40;    ///< until a block of some warps goes on
constexpr double kArithmetic = 5;  ///< of dependent additions, products, multiply-adds
constexpr double kDivision = 40;   ///< and square roots: several dependent steps
constexpr double kLibraryCall = 120;

bool IsSum(const Expr& expr) {
  const auto* binary = std::get_if<Binary>(&expr.node);
  return binary != nullptr && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
}

/// From the operands of the expression to its value. A product in a sum is part of a multiply-add.
double Cycles(const Expr& expr, bool in_sum) {
  if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    switch (binary->op) {
      case BinaryOp::Mul:
        return in_sum ? 0 : kArithmetic;
      case BinaryOp::Div:
      case BinaryOp::Mod:
        return kDivision;
      default:
        return kArithmetic;
    }
  }
  if (const auto* call = std::get_if<graph::Call>(&expr.node)) {
    switch (call->function) {
      case Function::Min:
      case Function::Max:
      case Function::Abs:
      case Function::Fabs:
        return kArithmetic;
      case Function::Sqrt:
        return kDivision;
      default:
        return kLibraryCall;
    }
  }
  return kArithmetic;
}

/// Visits the leaves of an operator's value, each with the cycles from it to the value.
class Paths {
 public:
  Paths(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  /// `visit(leaf, cycles)`.
  template <typename Visit>
  void ForEach(Visit visit) {
    std::vector<double> lets(op_.lets.size(), -1);
    Follow(op_.value, 0, lets, visit);
    // Lets read earlier ones only.
    for (std::size_t k = op_.lets.size(); k-- > 0;) {
      if (lets[k] >= 0) Follow(op_.lets[k].value, lets[k], lets, visit);
    }
  }

 private:
  struct Place {
    ExprId expr;
    double cycles = 0;
    bool in_sum = false;
  };
  template <typename Visit>
  void Follow(ExprId root, double cycles, std::vector<double>& lets, Visit& visit) {
    std::vector<Place> pending = {{root, cycles, false}};
    while (!pending.empty()) {
      const Place place = pending.back();
      pending.pop_back();
      const Expr& expr = graph_.exprs[place.expr];
      if (const auto* let = std::get_if<graph::LetRef>(&expr.node)) {
        double& known = lets[static_cast<std::size_t>(let->let)];
        known = std::max(known, place.cycles);
        continue;
      }
      const double below = place.cycles + Cycles(expr, place.in_sum);
      const bool sum = IsSum(expr);
      const std::size_t before = pending.size();
      graph::VisitOperands(expr, [&](ExprId operand) { pending.push_back({operand, below, sum}); });
      if (pending.size() == before) visit(expr, place.cycles);
    }
  }

  const Graph& graph_;
  const Operator& op_;
};

class TileClock {
 public:
  TileClock(const Plan& plan, const Tile& tile)
      : graph_(plan.graph), tile_(tile), ready_(tile.versions.size(), 0) {}

  double Run() {
    for (const TileStep& step : tile_.steps) {
      if (step.kind == TileStep::Kind::Barrier) {
        start_ = Last() + kBarrier;
      } else if (step.kind == TileStep::Kind::Compute) {
        Compute(step.index);
      }
    }
    return Last();
  }

 private:
  double Last() const {
    double last = start_;
    for (const double time : ready_) last = std::max(last, time);
    return last;
  }

  void Compute(int index) {
    const auto& op =
        std::get<Operator>(graph_.nodes[tile_.ops[static_cast<std::size_t>(index)].node]);
    double done = start_;
    Paths(graph_, op).ForEach([&](const Expr& leaf, double cycles) {
      done = std::max(done, At(index, leaf) + cycles);
    });
    ready_[static_cast<std::size_t>(tile_.Find(op.result))] = done;
  }

  /// When the value of a leaf is there.
  double At(int op, const Expr& leaf) const {
    const auto* access = std::get_if<graph::Access>(&leaf.node);
    if (access == nullptr) return start_;
    const auto read = FindRead(graph_, tile_, op, *access);
    if (!read) return start_;
    double at = start_;
    if (read->age == 0) at = std::max(at, ready_[static_cast<std::size_t>(read->version)]);
    return read->IsOwnPoint() ? at : at + kShared;
  }

  const Graph& graph_;
  const Tile& tile_;
  std::vector<double> ready_;  ///< by version: its newest plane
  double start_ = 0;           ///< after the last barrier
};

}  // namespace

double CriticalPath(const Plan& plan, const Tile& tile) {
  return TileClock(plan, tile).Run();
}

double CriticalPath(const Graph& graph, const Operator& op) {
  double longest = 0;
  Paths(graph, op).ForEach(
      [&](const Expr& /*leaf*/, double cycles) { longest = std::max(longest, cycles); });
  return longest;
}

}  // namespace stencilgen::plan
