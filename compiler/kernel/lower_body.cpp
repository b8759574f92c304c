#include "kernel/lower_body.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stencilgen::kernel {
namespace {

class BodyLowerer {
 public:
  BodyLowerer(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
              Distribute distribute)
      : dag_(graph, ops, distribute, body_.values) {}

  Body Run(const std::vector<Statement>& statements) {
    body_.statements = statements;
    std::vector<ValueDag::NodeId> roots;
    for (const Statement& statement : body_.statements) {
      roots.push_back(dag_.Add(statement));
    }
    values_.resize(dag_.size());
    for (std::size_t k = 0; k < roots.size(); ++k) {
      statement_ = static_cast<int>(k);
      body_.results.push_back({ResultOf(Emit(roots[k])), statement_});
    }
    return std::move(body_);
  }

 private:
  /// What is stored must be computed: a plain copy, or a value that is another statement's too.
  ValueId ResultOf(ValueId value) {
    const bool taken = std::any_of(body_.results.begin(), body_.results.end(),
                                   [&](const Result& each) { return each.value == value; });
    if (IsTemporary(body_.values[value]) && !taken) return value;
    return Append(body_.values[value].type, Copy{}, {value});
  }

  ValueId NewTemporary(ScalarType type) {
    return body_.values.Add({Temporary{}, type, fmt::format("t{}", temporaries_++)});
  }

  ValueId Append(ScalarType type, Operation operation, std::vector<ValueId> operands) {
    const ValueId dest = NewTemporary(type);
    body_.instructions.push_back(
        {dest, Combine::None, false, operation, std::move(operands), statement_});
    return dest;
  }

  ValueId Emit(ValueDag::NodeId id) {
    if (values_[id.index].Valid()) return values_[id.index];
    const ValueDag::Node& node = dag_[id];
    ValueId value = node.leaf;
    if (!node.sum.empty()) {
      value = EmitSum(node);
    } else if (!value.Valid()) {
      std::vector<ValueId> operands;
      for (ValueDag::NodeId operand : node.operands) operands.push_back(Emit(operand));
      value = Append(node.type, node.operation, std::move(operands));
    }
    return values_[id.index] = value;
  }

  /// The last product of the factors: the others are multiplied before.
  std::pair<Operation, std::vector<ValueId>> Product(ScalarType type, const ValueDag::Term& term) {
    std::vector<ValueId> factors;
    for (ValueDag::NodeId factor : term.factors) factors.push_back(Emit(factor));
    while (factors.size() > 2) {
      const ValueId product = Append(type, BinaryOp::Mul, {factors[0], factors[1]});
      factors.erase(factors.begin());
      factors[0] = product;
    }
    if (factors.size() == 1) return {Copy{}, factors};
    return {BinaryOp::Mul, factors};
  }

  ValueId EmitSum(const ValueDag::Node& node) {
    if (node.sum.size() == 1 && !node.sum[0].negative) {
      auto [operation, operands] = Product(node.type, node.sum[0]);
      return Append(node.type, operation, std::move(operands));
    }
    if (node.sum.size() == 1 && node.sum[0].factors.size() == 1) {
      return Append(node.type, UnaryOp::Negate, {Emit(node.sum[0].factors[0])});
    }
    if (IsPair(node)) {
      const bool first = node.sum[0].negative;  // -a + b is b - a
      const bool minus = first || node.sum[1].negative;
      const ValueId lhs = Emit(node.sum[first ? 1 : 0].factors[0]);
      const ValueId rhs = Emit(node.sum[first ? 0 : 1].factors[0]);
      return Append(node.type, minus ? BinaryOp::Sub : BinaryOp::Add, {lhs, rhs});
    }
    const ValueId dest = NewTemporary(node.type);
    for (const ValueDag::Term& term : node.sum) {
      auto [operation, operands] = Product(node.type, term);
      body_.instructions.push_back(
          {dest, Combine::Sum, term.negative, operation, std::move(operands), statement_});
    }
    return dest;
  }

  /// A sum or difference of two values, which is one operation.
  static bool IsPair(const ValueDag::Node& node) {
    return node.sum.size() == 2 && node.sum[0].factors.size() == 1 &&
           node.sum[1].factors.size() == 1 && !(node.sum[0].negative && node.sum[1].negative);
  }

  Body body_;
  ValueDag dag_;
  std::vector<ValueId> values_;  ///< by node
  int statement_ = 0;
  int temporaries_ = 0;
};

}  // namespace

Body LowerBody(const graph::Graph& graph, const std::vector<const graph::Operator*>& ops,
               const std::vector<Statement>& statements, Distribute distribute) {
  return BodyLowerer(graph, ops, distribute).Run(statements);
}

std::vector<Statement> StatementsAt(std::size_t ops,
                                    const std::vector<std::vector<std::int64_t>>& points) {
  std::vector<std::vector<std::int64_t>> offsets = {{}};
  for (const auto& along : points) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& offset : offsets) {
      for (std::int64_t each : along) {
        longer.push_back(offset);
        longer.back().push_back(each);
      }
    }
    offsets = std::move(longer);
  }
  std::vector<Statement> statements;
  for (const auto& offset : offsets) {
    for (std::size_t op = 0; op < ops; ++op) statements.push_back({static_cast<int>(op), offset});
  }
  return statements;
}

}  // namespace stencilgen::kernel
