#include "suite/devito_expr.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/match.h"

namespace stencilgen::suite {
namespace {

using graph::ExprId;

const std::map<Function, const char*>& DevitoFunctions() {
  static const std::map<Function, const char*> kNames = {
      {Function::Min, "Min"},   {Function::Max, "Max"},   {Function::Abs, "Abs"},
      {Function::Fabs, "Abs"},  {Function::Sqrt, "sqrt"}, {Function::Exp, "exp"},
      {Function::Log, "log"},   {Function::Sin, "sin"},   {Function::Cos, "cos"},
      {Function::Tan, "tan"},   {Function::Asin, "asin"}, {Function::Acos, "acos"},
      {Function::Atan, "atan"}, {Function::Sinh, "sinh"}, {Function::Cosh, "cosh"},
      {Function::Tanh, "tanh"}};
  return kNames;
}

class Printer {
 public:
  Printer(const graph::Graph& graph, const DevitoNames& names, std::string& problem)
      : graph_(graph), names_(names), problem_(problem) {}

  /// In parentheses where it binds less than `context`; precedences are those of the language.
  std::string Print(ExprId id, int context) {
    const graph::Expr& expr = graph_.exprs[id];
    return Match(
        expr.node, [&](const graph::Literal& literal) { return Literal(expr.type, literal); },
        [&](const graph::ParameterRef&) { return Fail("a parameter as a value"); },
        [&](const graph::IteratorRef&) { return Fail("coordinates"); },
        [&](const graph::Access& access) {
          const std::string element = names_.element(access);
          return element.empty() ? Fail("a read elsewhere than at a fixed distance") : element;
        },
        [&](const graph::LetRef& ref) { return names_.let(ref.let); },
        [&](const graph::Unary& unary) {
          if (unary.op == UnaryOp::Not) return Fail("conditions");
          return fmt::format("({}{})", ToString(unary.op),
                             Print(unary.operand, kUnaryPrecedence + 1));
        },
        [&](const graph::Binary& binary) { return PrintBinary(expr, binary, context); },
        [&](const graph::Conditional&) { return Fail("conditions"); },
        [&](const graph::Call& call) { return PrintCall(call); },
        [&](const graph::Convert& convert) {
          // Symbols have the type of the arrays.
          const auto* literal = std::get_if<graph::Literal>(&graph_.exprs[convert.operand].node);
          return literal != nullptr && IsFloating(expr.type) ? Print(convert.operand, context)
                                                             : Fail("conversions");
        });
  }

 private:
  std::string Fail(const char* what) {
    if (problem_.empty()) problem_ = what;
    return "";
  }

  static std::string Literal(ScalarType type, const graph::Literal& literal) {
    std::string text =
        IsFloating(type) ? fmt::format("{}", literal.value) : fmt::format("{}", literal.integer);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text.front() == '-' ? fmt::format("({})", text) : text;
  }

  std::string PrintBinary(const graph::Expr& expr, const graph::Binary& binary, int context) {
    if (!IsFloating(expr.type)) return Fail("integers");
    if (binary.op == BinaryOp::Power) {
      const auto* exponent = std::get_if<graph::Literal>(&graph_.exprs[binary.rhs].node);
      const std::string text = exponent != nullptr && !IsFloating(graph_.exprs[binary.rhs].type)
                                   ? fmt::format("{}", exponent->integer)
                                   : Print(binary.rhs, kPrimaryPrecedence);
      return fmt::format("(({})**{})", Print(binary.lhs, 0), text);
    }
    if (binary.op > BinaryOp::Div) return Fail("operators on integers");
    const int precedence = Precedence(binary.op);
    const std::string text = fmt::format("{} {} {}", Print(binary.lhs, precedence),
                                         ToString(binary.op), Print(binary.rhs, precedence + 1));
    return precedence < context ? fmt::format("({})", text) : text;
  }

  std::string PrintCall(const graph::Call& call) {
    const auto known = DevitoFunctions().find(call.function);
    if (known == DevitoFunctions().end()) return Fail("a function that Devito may not have");
    std::vector<std::string> arguments;
    for (const ExprId argument : call.arguments) arguments.push_back(Print(argument, 0));
    return fmt::format("dv.{}({})", known->second, fmt::join(arguments, ", "));
  }

  const graph::Graph& graph_;
  const DevitoNames& names_;
  std::string& problem_;
};

}  // namespace

std::string DevitoExpr(const graph::Graph& graph, ExprId expr, const DevitoNames& names,
                       std::string& problem) {
  return Printer(graph, names, problem).Print(expr, 0);
}

}  // namespace stencilgen::suite
