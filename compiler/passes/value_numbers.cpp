#include "passes/value_numbers.h"

#include <algorithm>
#include <cstring>

#include "graph/walk.h"
#include "support/match.h"

namespace stencilgen::passes {
namespace {

using namespace graph;

std::int64_t Bits(double value) {
  std::int64_t bits = 0;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

void Append(ExprKey& key, const LinearForm& form) {
  key.push_back(static_cast<std::int64_t>(form.terms.size()));
  for (const auto& [parameter, factor] : form.terms) {
    key.push_back(parameter.index);
    key.push_back(factor);
  }
  key.push_back(form.constant);
}

ExprKey KeyOf(const Expr& expr) {
  ExprKey key = {static_cast<std::int64_t>(expr.node.index()),
                 static_cast<std::int64_t>(expr.type)};
  Match(
      expr.node,
      [&](const Literal& literal) {
        key.push_back(Bits(literal.value));
        key.push_back(literal.integer);
      },
      [&](const ParameterRef& ref) { key.push_back(ref.parameter.index); },
      [&](const IteratorRef& ref) { key.push_back(ref.iterator); },
      [&](const Access& access) {
        key.push_back(access.version.index);
        for (const Index& index : access.indices) {
          key.push_back(index.place.Valid() ? -2 : index.iterator);  // a place is an operand
          key.push_back(index.coefficient);
          Append(key, index.offset);
        }
        for (const Boundary& boundary : access.boundary) {
          key.push_back(static_cast<std::int64_t>(boundary.kind));
          key.push_back(Bits(boundary.value));
        }
      },
      [&](const Unary& unary) { key.push_back(static_cast<std::int64_t>(unary.op)); },
      [&](const Binary& binary) { key.push_back(static_cast<std::int64_t>(binary.op)); },
      [&](const Call& call) { key.push_back(static_cast<std::int64_t>(call.function)); },
      [](const auto&) {});
  return key;
}

std::vector<int> ValueNumbers::NumberLets(const Graph& graph, const Operator& op) {
  std::vector<int> lets;
  for (const Let& let : op.lets) lets.push_back(Number(graph, let.value, lets));
  return lets;
}

int ValueNumbers::Number(const Graph& graph, ExprId root, const std::vector<int>& lets) {
  std::vector<ExprId> order;
  Walk(graph, root, [&](ExprId id) { order.push_back(id); });
  std::reverse(order.begin(), order.end());
  std::map<ExprId, int> number;
  for (const ExprId id : order) {
    if (number.count(id) > 0) continue;
    const Expr& expr = graph.exprs[id];
    if (const auto* ref = std::get_if<LetRef>(&expr.node)) {
      number[id] = lets[static_cast<std::size_t>(ref->let)];
      continue;
    }
    ExprKey key = KeyOf(expr);
    for (const ExprId operand : Operands(expr)) key.push_back(number.at(operand));
    number[id] =
        numbers_.try_emplace(std::move(key), static_cast<int>(numbers_.size())).first->second;
  }
  return number.at(root);
}

}  // namespace stencilgen::passes
