#include "baseline/plain_expr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/literal_text.h"
#include "support/match.h"

namespace stencilgen::baseline {
namespace {

using graph::ExprId;
using graph::Graph;

class Printer {
 public:
  Printer(const Graph& graph, const ExprNames& names, bool reciprocals)
      : graph_(graph), names_(names), reciprocals_(reciprocals) {}

  /// In parentheses where it binds less than `context`.
  std::string Print(ExprId id, int context) const {
    const graph::Expr& expr = graph_.exprs[id];
    return Match(
        expr.node,
        [&](const graph::Literal& literal) {
          const std::string text = IsFloating(expr.type) ? LiteralText(expr.type, literal.value)
                                                         : LiteralText(expr.type, literal.integer);
          return text.front() == '-' ? fmt::format("({})", text) : text;
        },
        [&](const graph::ParameterRef& ref) {
          return fmt::format("int({})", graph_.parameters[ref.parameter].name);
        },
        [&](const graph::IteratorRef& ref) {
          return fmt::format("int({})", graph_.iterators[static_cast<std::size_t>(ref.iterator)]);
        },
        [&](const graph::Access& access) { return Element(access, expr.type); },
        [&](const graph::LetRef& ref) { return names_.let(ref.let); },
        [&](const graph::Unary& unary) {
          return fmt::format("({}{})", ToString(unary.op),
                             Print(unary.operand, kUnaryPrecedence + 1));
        },
        [&](const graph::Binary& binary) { return PrintBinary(expr, binary, context); },
        [&](const graph::Conditional& conditional) {
          return fmt::format("({} ? {} : {})", Print(conditional.condition, 2),
                             Print(conditional.then_value, 2), Print(conditional.else_value, 2));
        },
        [&](const graph::Call& call) { return PrintCall(expr, call); },
        [&](const graph::Convert& convert) {
          const bool to_int =
              expr.type == ScalarType::Int && IsFloating(graph_.exprs[convert.operand].type);
          return fmt::format("{}({})", to_int ? "ToInt" : ToString(expr.type),
                             Print(convert.operand, 0));
        });
  }

 private:
  std::string Element(const graph::Access& access, ScalarType type) const {
    std::string name = names_.version(access.version);
    if (access.indices.empty()) return name;
    const graph::Array& array = graph_.arrays[graph_.versions[access.version].array];
    std::vector<std::string> indices, outside;
    double constant = 0;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const graph::ExprId place = access.indices[d].place;
      std::string index = place.Valid() ? fmt::format("Index({})", Print(place, 0))
                                        : PlainIndex(graph_, access.indices[d]);
      const std::string extent = PlainForm(graph_, array.extents[d]);
      const graph::Boundary boundary =
          access.boundary.empty() ? graph::Boundary{} : access.boundary[d];
      switch (boundary.kind) {
        case graph::BoundaryKind::None:
          break;
        case graph::BoundaryKind::Clamp:
          index = fmt::format("ClampIndex({}, {})", index, extent);
          break;
        case graph::BoundaryKind::Mirror:
          index = fmt::format("MirrorIndex({}, {})", index, extent);
          break;
        case graph::BoundaryKind::Mirror101:
          index = fmt::format("Mirror101Index({}, {})", index, extent);
          break;
        case graph::BoundaryKind::Wrap:
          // A step of less than a whole array: no division.
          index = fmt::format("{}({}, {})", place.Valid() ? "WrapIndex" : "Wrapped", index, extent);
          break;
        case graph::BoundaryKind::Constant:
          outside.push_back(fmt::format("!IsInside({}, {})", index, extent));
          constant = boundary.value;
          break;
      }
      indices.push_back(index);
    }
    std::string element = fmt::format("{}[{}]", name, PlainPosition(graph_, array, indices));
    if (outside.empty()) return element;
    const std::string value = IsFloating(type)
                                  ? LiteralText(type, constant)
                                  : LiteralText(type, static_cast<std::int64_t>(constant));
    return fmt::format("({} ? {} : {})", fmt::join(outside, " || "), value, element);
  }

  std::string PrintBinary(const graph::Expr& expr, const graph::Binary& binary, int context) const {
    const bool floating = IsFloating(graph_.exprs[binary.lhs].type);
    const auto call = [&](std::string_view function) {
      return fmt::format("{}({}, {})", function, Print(binary.lhs, 0), Print(binary.rhs, 0));
    };
    const auto* literal = std::get_if<graph::Literal>(&graph_.exprs[binary.rhs].node);
    const std::string_view suffix = expr.type == ScalarType::Float ? "f" : "";
    if (binary.op == BinaryOp::Power) {
      if (graph_.exprs[binary.rhs].type == ScalarType::Int && literal != nullptr) {
        return fmt::format("IntPower<{}>({})", literal->integer, Print(binary.lhs, 0));
      }
      return call(fmt::format("pow{}", suffix));
    }
    if (binary.op == BinaryOp::Mod && floating) return call(fmt::format("fmod{}", suffix));
    if (!floating && binary.op == BinaryOp::Div) return call("SafeDivide");
    if (!floating && binary.op == BinaryOp::Mod) return call("SafeModulo");
    const int precedence = Precedence(binary.op);
    std::string text;
    if (reciprocals_ && floating && binary.op == BinaryOp::Div && literal != nullptr) {
      text = fmt::format("{} * {}", Print(binary.lhs, precedence),
                         LiteralText(expr.type, 1 / literal->value));
    } else {
      // Only arithmetic goes without parentheses: compilers suspect mistakes in the rest.
      const bool plain = precedence >= Precedence(BinaryOp::Add);
      text = fmt::format("{} {} {}", Print(binary.lhs, plain ? precedence : kPrimaryPrecedence),
                         ToString(binary.op),
                         Print(binary.rhs, plain ? precedence + 1 : kPrimaryPrecedence));
    }
    if (expr.type == ScalarType::Bool && !IsComparison(binary.op) && !IsLogical(binary.op)) {
      return fmt::format("(({}) != 0)", text);
    }
    return precedence < context ? fmt::format("({})", text) : text;
  }

  std::string PrintCall(const graph::Expr& expr, const graph::Call& call) const {
    std::vector<std::string> arguments;
    for (const ExprId argument : call.arguments) arguments.push_back(Print(argument, 0));
    std::string name(Info(call.function).name);
    const bool floating = IsFloating(expr.type);
    if (call.function == Function::Min) {
      name = "Min";
    } else if (call.function == Function::Max) {
      name = "Max";
    } else if (call.function == Function::Abs && !floating) {
      name = "Abs";
    } else {
      if (call.function == Function::Abs) name = "fabs";
      if (expr.type == ScalarType::Float) name += "f";
    }
    return fmt::format("{}({})", name, fmt::join(arguments, ", "));
  }

  const Graph& graph_;
  const ExprNames& names_;
  bool reciprocals_;
};

}  // namespace

std::string PlainForm(const Graph& graph, const graph::LinearForm& form) {
  return graph::ToString(form, graph::ParameterNames(graph));
}

std::string PlainIndex(const Graph& graph, const graph::Index& index) {
  std::string offset = PlainForm(graph, index.offset);
  if (index.iterator < 0) return offset;
  std::string text = graph.iterators[static_cast<std::size_t>(index.iterator)];
  if (index.coefficient != 1) text = fmt::format("{}*{}", index.coefficient, text);
  if (index.offset == graph::LinearForm{}) return text;
  if (index.offset.IsConstant() && index.offset.constant < 0) {
    return fmt::format("{} - {}", text, -index.offset.constant);
  }
  return fmt::format("{} + {}", text, offset);
}

std::string PlainPosition(const Graph& graph, const graph::Array& array,
                          const std::vector<std::string>& indices) {
  std::string text = indices[0];
  for (std::size_t d = 1; d < indices.size(); ++d) {
    const graph::LinearForm& extent = array.extents[d];
    const bool single = extent.terms.size() + (extent.constant != 0 ? 1 : 0) == 1;
    const bool name = text.find_first_of(" +-*") == std::string::npos;
    text = fmt::format(
        "{}*{} + {}", name ? text : fmt::format("({})", text),
        single ? PlainForm(graph, extent) : fmt::format("({})", PlainForm(graph, extent)),
        indices[d]);
  }
  return text;
}

std::string PlainExpr(const Graph& graph, ExprId expr, const ExprNames& names, bool reciprocals) {
  return Printer(graph, names, reciprocals).Print(expr, 0);
}

}  // namespace stencilgen::baseline
