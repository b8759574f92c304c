#include "graph/print_expr.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::graph {
namespace {

std::string LiteralText(const Literal& literal, ScalarType type) {
  if (type == ScalarType::Bool) return literal.integer != 0 ? "true" : "false";
  if (type == ScalarType::Int) return fmt::format("{}", literal.integer);
  // The shortest text that reads back as the same value.
  std::string text = type == ScalarType::Float
                         ? fmt::format("{}", static_cast<float>(literal.value))
                         : fmt::format("{}", literal.value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text.append(".0");
  if (type == ScalarType::Float) text.push_back('f');
  return text;
}

std::string BoundaryText(const Boundary& boundary) {
  switch (boundary.kind) {
    case BoundaryKind::None:
      return "";
    case BoundaryKind::Clamp:
      return "clamp: ";
    case BoundaryKind::Mirror:
      return "mirror: ";
    case BoundaryKind::Mirror101:
      return "mirror101: ";
    case BoundaryKind::Wrap:
      return "wrap: ";
    case BoundaryKind::Constant:
      return fmt::format("constant({}): ", boundary.value);
  }
  return "";
}

/// Tight operators stand without spaces.
std::string_view Spelling(BinaryOp op, std::string& buffer) {
  const std::string_view name = ToString(op);
  if (Precedence(op) >= Precedence(BinaryOp::Mul)) return name;
  buffer = fmt::format(" {} ", name);
  return buffer;
}

/// The least precedences of the operands: binary operators associate to the left; a power has
/// parentheses on either side, so that nobody has to know how it associates.
int LeastLeft(BinaryOp op) {
  return Precedence(op) + (op == BinaryOp::Power ? 1 : 0);
}
int LeastRight(BinaryOp op) {
  return Precedence(op) + 1;
}

/// Writes parentheses around what is appended in its life, where they are needed.
class Parentheses {
 public:
  Parentheses(bool needed, std::string& out) : needed_(needed), out_(out) {
    if (needed_) out_.push_back('(');
  }
  Parentheses(const Parentheses&) = delete;
  Parentheses& operator=(const Parentheses&) = delete;
  ~Parentheses() {
    if (needed_) out_.push_back(')');
  }

 private:
  const bool needed_;
  std::string& out_;
};

}  // namespace

std::string IndexText(const Graph& graph, const std::vector<std::string>& parameter_names,
                      const Index& index) {
  if (index.iterator < 0) return ToString(index.offset, parameter_names);
  const std::string& name = graph.iterators[static_cast<std::size_t>(index.iterator)];
  std::string scaled = index.coefficient == 1    ? name
                       : index.coefficient == -1 ? fmt::format("-{}", name)
                                                 : fmt::format("{}*{}", index.coefficient, name);
  if (index.offset == LinearForm{}) return scaled;
  const std::string offset = ToString(index.offset, parameter_names);
  if (offset.front() != '-') return fmt::format("{} + {}", scaled, offset);
  return fmt::format("{} - {}", scaled, offset.substr(1));
}

std::string ExprPrinter::Print(ExprId expr) const {
  std::string out;
  Append(expr, 0, out);
  return out;
}

void ExprPrinter::Append(ExprId id, int least, std::string& out) const {
  const Expr& expr = graph_.exprs[id];
  Match(
      expr.node, [&](const Binary&) { AppendBinary(id, least, out); },
      [&](const Unary& unary) { AppendUnary(unary, least, out); },
      [&](const Conditional& conditional) { AppendConditional(conditional, least, out); },
      [&](const Call& call) {
        out.append(Info(call.function).name);
        AppendList(call.arguments, out);
      },
      [&](const Convert& convert) {
        out.append(ToString(expr.type));
        AppendList({convert.operand}, out);
      },
      [&](const Access& access) { AppendAccess(access, out); },
      [&](const auto&) { AppendLeaf(expr, least, out); });
}

void ExprPrinter::AppendBinary(ExprId id, int least, std::string& out) const {
  // Long sums are long left spines: walked here rather than by recursion.
  struct Pending {
    const Binary* binary;
    bool closes;
  };
  std::vector<Pending> spine;
  while (const auto* binary = std::get_if<Binary>(&graph_.exprs[id].node)) {
    const bool parentheses = Precedence(binary->op) < least;
    if (parentheses) out.push_back('(');
    spine.push_back({binary, parentheses});
    least = LeastLeft(binary->op);
    id = binary->lhs;
  }
  Append(id, least, out);
  std::string buffer;
  for (; !spine.empty(); spine.pop_back()) {
    const auto [binary, closes] = spine.back();
    out.append(Spelling(binary->op, buffer));
    Append(binary->rhs, LeastRight(binary->op), out);
    if (closes) out.push_back(')');
  }
}

void ExprPrinter::AppendConditional(const Conditional& conditional, int least,
                                    std::string& out) const {
  const Parentheses parentheses(kConditionalPrecedence < least, out);
  Append(conditional.condition, kConditionalPrecedence + 1, out);
  out.append(" ? ");
  Append(conditional.then_value, kConditionalPrecedence, out);
  out.append(" : ");
  Append(conditional.else_value, kConditionalPrecedence, out);
}

void ExprPrinter::AppendUnary(const Unary& unary, int least, std::string& out) const {
  const Parentheses parentheses(kUnaryPrecedence < least, out);
  out.append(ToString(unary.op));
  const std::size_t begin = out.size();
  Append(unary.operand, kUnaryPrecedence, out);
  // `--x` would be read as another operator by a C programmer.
  if (out[begin] == out[begin - 1]) {
    out.insert(begin, 1, '(');
    out.push_back(')');
  }
}

void ExprPrinter::AppendAccess(const Access& access, std::string& out) const {
  out.append(version_names_[access.version.index]);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    fmt::format_to(
        std::back_inserter(out), "[{}{}]",
        access.boundary.empty() ? "" : BoundaryText(access.boundary[d]),
        index.place.Valid() ? Print(index.place) : IndexText(graph_, parameter_names_, index));
  }
}

void ExprPrinter::AppendLeaf(const Expr& expr, int least, std::string& out) const {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    const std::string text = LiteralText(*literal, expr.type);
    const Parentheses parentheses(text.front() == '-' && kUnaryPrecedence < least, out);
    out.append(text);
  } else if (const auto* parameter = std::get_if<ParameterRef>(&expr.node)) {
    out.append(parameter_names_[parameter->parameter.index]);
  } else if (const auto* iterator = std::get_if<IteratorRef>(&expr.node)) {
    out.append(graph_.iterators[static_cast<std::size_t>(iterator->iterator)]);
  } else {
    const auto let = static_cast<std::size_t>(std::get<LetRef>(expr.node).let);
    out.append(op_.lets[let].name);
  }
}

void ExprPrinter::AppendList(const std::vector<ExprId>& arguments, std::string& out) const {
  out.push_back('(');
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (k > 0) out.append(", ");
    Append(arguments[k], 0, out);
  }
  out.push_back(')');
}

}  // namespace stencilgen::graph
