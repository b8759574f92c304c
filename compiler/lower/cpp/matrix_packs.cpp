#include "lower/cpp/matrix_packs.h"

#include <algorithm>
#include <utility>

#include "lower/cpp/vector_body.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower::cpp {
namespace {

using graph::ExprId;
using kernel::Expr;
using kernel::Width;

bool IsArithmetic(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul || op == BinaryOp::Div;
}

bool HasPacks(Function function) {
  return function == Function::Min || function == Function::Max || function == Function::Fabs ||
         function == Function::Sqrt;
}

class PackLowering {
 public:
  PackLowering(const graph::Graph& graph, const graph::Operator& op)
      : graph_(graph), op_(op), type_(graph.exprs[op.value].type) {}

  bool Fits(ExprId id) const {
    const graph::Expr& expr = graph_.exprs[id];
    if (expr.type != type_) return false;
    return Match(
        expr.node, [](const graph::Literal&) { return true; },
        [](const graph::Access&) { return true; },
        [&](const graph::LetRef& ref) { return Fits(LetOf(ref)); },
        [&](const graph::Unary& unary) {
          return (unary.op == UnaryOp::Negate || unary.op == UnaryOp::Plus) && Fits(unary.operand);
        },
        [&](const graph::Binary& binary) {
          return IsArithmetic(binary.op) && Fits(binary.lhs) && Fits(binary.rhs);
        },
        [&](const graph::Call& call) {
          return HasPacks(call.function) &&
                 std::all_of(call.arguments.begin(), call.arguments.end(),
                             [&](ExprId argument) { return Fits(argument); });
        },
        [](const auto&) { return false; });
  }

  Expr Lower(ExprId id, const std::function<Expr(const graph::Access&)>& element) const {
    const graph::Expr& expr = graph_.exprs[id];
    const auto lower = [&](ExprId operand) { return Lower(operand, element); };
    return Match(
        expr.node,
        [&](const graph::Literal& literal) {
          return Broadcast(kernel::Constant(kernel::TypeOf(type_), literal.value));
        },
        [&](const graph::Access& access) { return element(access); },
        [&](const graph::LetRef& ref) { return lower(LetOf(ref)); },
        [&](const graph::Unary& unary) {
          const Expr operand = lower(unary.operand);
          return unary.op == UnaryOp::Plus ? operand : kernel::Apply(unary.op, operand);
        },
        [&](const graph::Binary& binary) {
          return kernel::Apply(binary.op, lower(binary.lhs), lower(binary.rhs));
        },
        [&](const graph::Call& call) {
          std::vector<Expr> arguments;
          for (const ExprId argument : call.arguments) arguments.push_back(lower(argument));
          return kernel::Call(call.function, {kernel::TypeOf(type_).of, Width::Pack},
                              std::move(arguments));
        },
        [](const auto&) {
          STENCILGEN_CHECK(!"a value that packs do not have");
          return Expr();
        });
  }

 private:
  ExprId LetOf(const graph::LetRef& ref) const {
    return op_.lets[static_cast<std::size_t>(ref.let)].value;
  }
  Expr Broadcast(const Expr& value) const {
    return kernel::Call(kernel::Routine::Broadcast, {kernel::TypeOf(type_).of, Width::Vector},
                        {value});
  }

  const graph::Graph& graph_;
  const graph::Operator& op_;
  ScalarType type_;
};

}  // namespace

bool FitsPacks(const graph::Graph& graph, const graph::Operator& op) {
  const ScalarType type = graph.exprs[op.value].type;
  const graph::Array& array = graph.arrays[graph.versions[op.result].array];
  const bool plain = array.format == ElementFormat::Plain;
  return IsFloating(type) && array.type == type && plain && MayUseVectors(graph, op) &&
         PackLowering(graph, op).Fits(op.value);
}

Expr LowerPacks(const graph::Graph& graph, const graph::Operator& op,
                const std::function<Expr(const graph::Access&)>& element) {
  return PackLowering(graph, op).Lower(op.value, element);
}

}  // namespace stencilgen::lower::cpp
