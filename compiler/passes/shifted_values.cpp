#include "passes/shifted_values.h"

#include <algorithm>
#include <set>
#include <utility>

#include "graph/slow_operations.h"
#include "graph/walk.h"

namespace stencilgen::passes {

using namespace graph;

ShiftedValues::Numbered ShiftedValues::Number(const Operator& op) {
  Numbered numbered;
  std::vector<ShiftedValue> lets;
  const auto number = [&](ExprId root) {
    std::vector<ExprId> order;
    Walk(graph_, root, [&](ExprId id) { order.push_back(id); });
    std::reverse(order.begin(), order.end());
    for (const ExprId id : order) {
      if (numbered.count(id) == 0) numbered[id] = NumberOf(id, numbered, lets);
    }
  };
  for (const Let& let : op.lets) {
    number(let.value);
    lets.push_back(numbered.at(let.value));
  }
  number(op.value);
  return numbered;
}

ShiftedValue ShiftedValues::NumberOf(ExprId id, const Numbered& numbered,
                                     const std::vector<ShiftedValue>& lets) {
  const Expr& expr = graph_.exprs[id];
  if (const auto* ref = std::get_if<LetRef>(&expr.node)) {
    return lets[static_cast<std::size_t>(ref->let)];
  }
  if (std::holds_alternative<IteratorRef>(expr.node)) return {};
  if (std::holds_alternative<Access>(expr.node)) return NumberAccess(expr);
  return NumberWhole(expr, numbered);
}

ShiftedValue ShiftedValues::NumberAccess(const Expr& expr) {
  const auto& access = std::get<Access>(expr.node);
  const std::size_t iterators = graph_.iterators.size();
  ShiftedValue value{-1, std::vector<std::int64_t>(iterators, 0)};
  ShiftClass made{std::vector<bool>(iterators, false), expr.type};
  ExprKey key = {static_cast<std::int64_t>(expr.node.index()), access.version.index};
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    if (index.place.Valid()) return {};
    key.push_back(index.iterator);
    if (index.iterator < 0) {
      const bool moves = !access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None;
      if (moves) return {};
      Append(key, index.offset);
      continue;
    }
    if (index.coefficient != 1 || !index.offset.IsConstant()) return {};
    const auto x = static_cast<std::size_t>(index.iterator);
    if (!made.iterators[x]) value.offset[x] = index.offset.constant;
    made.iterators[x] = true;
    key.push_back(index.offset.constant - value.offset[x]);
  }
  value.number = ClassOf(std::move(key), std::move(made));
  return value;
}

ShiftedValue ShiftedValues::NumberWhole(const Expr& expr, const Numbered& numbered) {
  const std::size_t iterators = graph_.iterators.size();
  ShiftedValue value{-1, std::vector<std::int64_t>(iterators, 0)};
  ShiftClass made{std::vector<bool>(iterators, false), expr.type};
  made.own = made.slow = SlowOperations(graph_, expr);
  ExprKey key = KeyOf(expr);
  std::set<int> counted;
  for (const ExprId operand : Operands(expr)) {
    const ShiftedValue& each = numbered.at(operand);
    if (each.number < 0) return {};
    const ShiftClass& its = classes_[static_cast<std::size_t>(each.number)];
    key.push_back(each.number);
    for (std::size_t x = 0; x < iterators; ++x) {
      if (!its.iterators[x]) continue;
      if (!made.iterators[x]) value.offset[x] = each.offset[x];
      made.iterators[x] = true;
      key.push_back(each.offset[x] - value.offset[x]);
    }
    if (counted.insert(each.number).second) made.slow += its.slow;
  }
  value.number = ClassOf(std::move(key), std::move(made));
  return value;
}

int ShiftedValues::ClassOf(ExprKey key, ShiftClass made) {
  const auto [at, is_new] = numbers_.try_emplace(std::move(key), static_cast<int>(classes_.size()));
  if (is_new) classes_.push_back(std::move(made));
  return at->second;
}

}  // namespace stencilgen::passes
