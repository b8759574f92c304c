#include <algorithm>

#include "graph/verify_parts.h"
#include "graph/walk.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

constexpr std::int64_t kLargestExponent = 64;

class TypeVerifier {
 public:
  TypeVerifier(const Graph& graph, const Operator& op, Problems& problems)
      : graph_(graph), op_(op), problems_(problems) {}

  void Run() {
    for (const Let& let : op_.lets) {
      CheckTree(let.value);
      Require(TypeOf(let.value) == let.type, "a let has another type than its value");
    }
    CheckTree(op_.value);
    const Array& array = graph_.arrays[graph_.versions[op_.result].array];
    Require(TypeOf(op_.value) == array.type, "its value has another type than its result");
  }

 private:
  ScalarType TypeOf(ExprId id) const { return graph_.exprs[id].type; }

  void Require(bool good, std::string_view problem) {
    if (!good) problems_.Add("{}: {}", Name(op_), problem);
  }

  void CheckTree(ExprId root) {
    Walk(graph_, root, [&](ExprId id) {
      const Expr& expr = graph_.exprs[id];
      Match(expr.node, [&](const auto& node) { Check(node, expr.type); });
    });
  }

  void Check(const Literal& /*node*/, ScalarType /*type*/) {}
  void Check(const Convert& /*node*/, ScalarType /*type*/) {}

  void Check(const ParameterRef& /*node*/, ScalarType type) {
    Require(type == ScalarType::Int, "a parameter is not an int");
  }

  void Check(const IteratorRef& /*node*/, ScalarType type) {
    Require(type == ScalarType::Int, "an iterator is not an int");
  }

  void Check(const Access& node, ScalarType type) {
    const Array& array = graph_.arrays[graph_.versions[node.version].array];
    Require(type == array.type, "an access has another type than its array");
  }

  void Check(const LetRef& node, ScalarType type) {
    Require(type == op_.lets[static_cast<std::size_t>(node.let)].type,
            "the read of a let has another type than the let");
  }

  void Check(const Unary& node, ScalarType type) {
    if (node.op == UnaryOp::Not) {
      Require(type == ScalarType::Bool, "the result of ! is not a bool");
      return;
    }
    Require(type != ScalarType::Bool && type == TypeOf(node.operand),
            "a sign is applied to a value of another type");
  }

  void Check(const Binary& node, ScalarType type) {
    const ScalarType lhs = TypeOf(node.lhs);
    const ScalarType rhs = TypeOf(node.rhs);
    if (node.op == BinaryOp::Power && rhs == ScalarType::Int) {
      const auto* exponent = std::get_if<Literal>(&graph_.exprs[node.rhs].node);
      Require(
          exponent != nullptr && 0 <= exponent->integer && exponent->integer <= kLargestExponent,
          "the int exponent of a power is not a literal from 0 to 64");
      Require(lhs == type && type != ScalarType::Bool, "a power has another type than its base");
      return;
    }
    Require(lhs == rhs, "the operands of an operator differ in type");
    if (IsComparison(node.op) || IsLogical(node.op)) {
      Require(type == ScalarType::Bool, "the result of a test is not a bool");
      return;
    }
    Require(type == lhs, "an operator has another type than its operands");
    const bool good = IsBitwise(node.op)           ? !IsFloating(type)
                      : node.op == BinaryOp::Mod   ? type == ScalarType::Int
                      : node.op == BinaryOp::Power ? IsFloating(type)
                                                   : type != ScalarType::Bool;
    Require(good, "an operator is applied to values of a type that it does not have");
  }

  void Check(const Conditional& node, ScalarType type) {
    Require(TypeOf(node.condition) == ScalarType::Bool, "a condition is not a bool");
    Require(TypeOf(node.then_value) == type && TypeOf(node.else_value) == type,
            "the values of a conditional differ in type");
  }

  void Check(const Call& node, ScalarType type) {
    const FunctionInfo& info = Info(node.function);
    if (node.arguments.size() != static_cast<std::size_t>(info.arity)) {
      problems_.Add("{}: {} has {} arguments", Name(op_), info.name, node.arguments.size());
    }
    Require(std::all_of(node.arguments.begin(), node.arguments.end(),
                        [&](ExprId argument) { return TypeOf(argument) == type; }),
            "an argument has another type than its call");
    const bool has_integers = node.function == Function::Min || node.function == Function::Max ||
                              node.function == Function::Abs;
    Require(IsFloating(type) || (has_integers && type == ScalarType::Int),
            "a function is applied to values of a type that it does not have");
  }

  const Graph& graph_;
  const Operator& op_;
  Problems& problems_;
};

}  // namespace

void VerifyTypes(const Graph& graph, const Operator& op, Problems& problems) {
  TypeVerifier(graph, op, problems).Run();
}

}  // namespace stencilgen::graph
