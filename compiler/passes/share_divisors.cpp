#include "passes/share_divisors.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/walk.h"
#include "passes/value_numbers.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

/// What divisions with one divisor have in common.
struct Divisor {
  ExprId value;
  ScalarType type = ScalarType::Double;
  std::size_t first_let = 0;  ///< the first let that divides by it; as many as lets: the value
  std::size_t uses = 0;
  bool always = false;  ///< some division is no branch of a choice
};

class OperatorWriter {
 public:
  OperatorWriter(Graph& graph, Operator& op) : graph_(graph), op_(op) {}

  void Run() {
    const std::vector<int> numbers = numbers_.NumberLets(graph_, op_);
    for (std::size_t k = 0; k < op_.lets.size(); ++k) {
      Find(op_.lets[k].value, k, numbers);
      along_row_.push_back(DependsOnRow(op_.lets[k].value));
    }
    Find(op_.value, op_.lets.size(), numbers);
    for (auto at = divisors_.begin(); at != divisors_.end();) {
      at = Pays(at->second) ? std::next(at) : divisors_.erase(at);
    }
    if (!divisors_.empty()) Write(numbers);
  }

 private:
  using Key = std::pair<int, ScalarType>;

  /// The division's key; empty number (-1) of what is none to be replaced.
  Key KeyOfDivision(ExprId id, const std::vector<int>& numbers) {
    const Expr& expr = graph_.exprs[id];
    const auto* division = std::get_if<Binary>(&expr.node);
    if (division == nullptr || division->op != BinaryOp::Div || !IsFloating(expr.type))
      return {-1, {}};
    const auto& below = graph_.exprs[division->rhs].node;
    const auto* call = std::get_if<Call>(&below);
    const bool root = call != nullptr && call->function == Function::Sqrt;
    if (std::holds_alternative<Literal>(below) || root) return {-1, {}};
    return {numbers_.Number(graph_, division->rhs, numbers), expr.type};
  }

  /// Adds the divisions below `root`, which belongs to a let.
  void Find(ExprId root, std::size_t let, const std::vector<int>& numbers) {
    std::set<ExprId> chosen;  // what only one branch of a choice needs, parents first
    Walk(graph_, root, [&](ExprId id) {
      const Expr& expr = graph_.exprs[id];
      if (chosen.count(id) > 0) {
        VisitOperands(expr, [&](ExprId operand) { chosen.insert(operand); });
      } else if (const auto* choice = std::get_if<Conditional>(&expr.node)) {
        chosen.insert({choice->then_value, choice->else_value});
      } else if (const auto* binary = std::get_if<Binary>(&expr.node)) {
        const bool lazy = binary->op == BinaryOp::And || binary->op == BinaryOp::Or;
        if (lazy) chosen.insert(binary->rhs);
      }
      const Key key = KeyOfDivision(id, numbers);
      if (key.first < 0) return;
      Divisor& divisor = divisors_[key];
      if (divisor.uses == 0) {
        divisor = {std::get<Binary>(expr.node).rhs, expr.type, let, 0, false};
      }
      ++divisor.uses;
      divisor.always = divisor.always || chosen.count(id) == 0;
    });
  }

  bool Pays(const Divisor& divisor) const {
    if (!divisor.always && ReadsElements(divisor.value)) return false;
    return divisor.uses > 1 || !DependsOnRow(divisor.value);
  }

  /// True where it may differ between points of a row.
  bool DependsOnRow(ExprId root) const {
    const int row = op_.iterators.empty() ? -1 : op_.iterators.back();
    bool depends = false;
    Walk(graph_, root, [&](ExprId id) {
      const auto& node = graph_.exprs[id].node;
      if (const auto* iterator = std::get_if<IteratorRef>(&node)) {
        depends = depends || iterator->iterator == row;
      } else if (const auto* let = std::get_if<LetRef>(&node)) {
        depends = depends || along_row_[static_cast<std::size_t>(let->let)];
      } else if (const auto* access = std::get_if<Access>(&node)) {
        for (const Index& index : access->indices) {
          depends = depends || index.place.Valid() || (row >= 0 && index.iterator == row);
        }
      }
    });
    return depends;
  }
  bool ReadsElements(ExprId root) const {
    bool reads = false;
    Walk(graph_, root, [&](ExprId id) {
      const auto& node = graph_.exprs[id].node;
      const auto* access = std::get_if<Access>(&node);
      reads = reads || (access != nullptr && !access->indices.empty()) ||
              std::holds_alternative<LetRef>(node);
    });
    return reads;
  }

  void Write(const std::vector<int>& numbers) {
    std::vector<Let> lets;
    std::vector<Let> old = std::move(op_.lets);
    for (std::size_t k = 0; k <= old.size(); ++k) {
      for (auto& [key, divisor] : divisors_) {
        if (divisor.first_let != k) continue;
        const Span span = graph_.exprs[divisor.value].span;
        const ExprId one = graph_.exprs.Add({Literal{1.0, 0}, divisor.type, span});
        const ExprId below = Copied(divisor.value, numbers);
        const ExprId value =
            graph_.exprs.Add({Binary{BinaryOp::Div, one, below}, divisor.type, span});
        place_[key] = static_cast<int>(lets.size());
        lets.push_back({FreeName(old, lets), divisor.type, value, span});
      }
      if (k == old.size()) break;
      old[k].value = Copied(old[k].value, numbers);
      moved_.push_back(static_cast<int>(lets.size()));
      lets.push_back(old[k]);
    }
    op_.value = Copied(op_.value, numbers);
    op_.lets = std::move(lets);
  }

  /// With products for divisions, and the new numbers of lets.
  ExprId Copied(ExprId root, const std::vector<int>& numbers) {
    std::vector<ExprId> order;
    Walk(graph_, root, [&](ExprId id) { order.push_back(id); });
    std::reverse(order.begin(), order.end());
    std::map<ExprId, ExprId> copies;  // operands before parents
    for (const ExprId id : order) {
      if (copies.count(id) == 0) copies[id] = CopyOf(id, copies, numbers);
    }
    return copies.at(root);
  }
  ExprId CopyOf(ExprId id, const std::map<ExprId, ExprId>& copies,
                const std::vector<int>& numbers) {
    Expr expr = graph_.exprs[id];
    const Key key = KeyOfDivision(id, numbers);
    const auto place = place_.find(key);
    if (key.first >= 0 && place != place_.end()) {
      const ExprId above = copies.at(std::get<Binary>(expr.node).lhs);
      const ExprId inverse = graph_.exprs.Add({LetRef{place->second}, expr.type, expr.span});
      const auto* one = std::get_if<Literal>(&graph_.exprs[above].node);
      if (one != nullptr && one->value == 1.0) return inverse;
      return graph_.exprs.Add({Binary{BinaryOp::Mul, above, inverse}, expr.type, expr.span});
    }
    if (auto* let = std::get_if<LetRef>(&expr.node)) {
      let->let = moved_[static_cast<std::size_t>(let->let)];
    }
    ReplaceOperands(expr, [&](ExprId operand) { return copies.at(operand); });
    return graph_.exprs.Add(std::move(expr));
  }

  static std::string FreeName(const std::vector<Let>& old, const std::vector<Let>& lets) {
    const auto taken = [&](const std::string& name) {
      const auto has = [&](const Let& let) { return let.name == name; };
      return std::any_of(old.begin(), old.end(), has) || std::any_of(lets.begin(), lets.end(), has);
    };
    std::string name = "inverse";
    for (int k = 2; taken(name); ++k) name = "inverse_" + std::to_string(k);
    return name;
  }

  Graph& graph_;
  Operator& op_;
  ValueNumbers numbers_;
  std::map<Key, Divisor> divisors_;
  std::vector<bool> along_row_;  ///< by let: it may differ between points of a row
  std::map<Key, int> place_;     ///< the let of an inverse
  std::vector<int> moved_;       ///< by old let: where it is now
};

}  // namespace

Graph ShareDivisors(Graph graph) {
  for (const NodeId id : graph.nodes.Ids()) {
    if (!std::holds_alternative<Operator>(graph.nodes[id])) continue;
    Operator op = std::get<Operator>(graph.nodes[id]);
    OperatorWriter(graph, op).Run();
    graph.nodes[id] = std::move(op);
  }
  return graph;
}

}  // namespace stencilgen::passes
