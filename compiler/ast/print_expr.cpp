#include <fmt/format.h>

#include "ast/print.h"
#include "support/match.h"

namespace stencilgen::ast {
namespace {

constexpr int kLoosest = 0;

std::string FloatText(const FloatLiteral& literal) {
  std::string text = fmt::format("{}", literal.value);
  if (text.find_first_of(".en") == std::string::npos) text.append(".0");
  if (literal.single) text.push_back('f');
  if (literal.imaginary) text.push_back('i');
  return text;
}

/// Chains of operators are walked in loops: they may be thousands long, while what recurses nests
/// as deeply as the brackets do.
class ExprPrinter {
 public:
  ExprPrinter(const Program& program, bool compact) : program_(program), compact_(compact) {}

  /// Appends the expression, in parentheses where it binds looser than `precedence`.
  void Append(ExprId id, int precedence) {
    std::size_t open = 0;
    for (;;) {
      const Expr& expr = program_.exprs[id];
      if (PrecedenceOf(expr) < precedence) {
        out_.push_back('(');
        ++open;
      }
      std::optional<Rest> rest = Match(
          expr.node, [&](const Unary& unary) { return Prefix(unary); },
          [&](const Binary& binary) { return Infix(id, binary); },
          [&](const Conditional& conditional) { return Choice(conditional); },
          [&](const auto& leaf) { return Leaf(leaf); });
      if (!rest) break;
      id = rest->id;
      precedence = rest->precedence;
    }
    out_.append(open, ')');
  }

  std::string Take() { return std::move(out_); }

 private:
  /// What is still to be printed, at the very end of an expression.
  struct Rest {
    ExprId id;
    int precedence;
  };

  static int PrecedenceOf(const Expr& expr) {
    return Match(
        expr.node, [](const Unary&) { return kUnaryPrecedence; },
        [](const Binary& binary) { return Precedence(binary.op); },
        [](const Conditional&) { return kConditionalPrecedence; },
        [](const auto&) { return kPrimaryPrecedence; });
  }

  std::optional<Rest> Prefix(const Unary& unary) {
    out_.append(ToString(unary.op));
    const auto* inner = std::get_if<Unary>(&program_.exprs[unary.operand].node);
    if (inner != nullptr && inner->op == unary.op && unary.op != UnaryOp::Not) out_.push_back(' ');
    return Rest{unary.operand, kUnaryPrecedence};
  }

  std::optional<Rest> Infix(ExprId id, const Binary& binary) {
    if (binary.op == BinaryOp::Power) {
      Append(binary.lhs, kPrimaryPrecedence);
      out_.push_back('^');
      return Rest{binary.rhs, kUnaryPrecedence};
    }
    // The left spine, as far as it needs no parentheses.
    std::vector<const Binary*> spine;
    for (int loosest = kLoosest;;) {
      const auto* node = std::get_if<Binary>(&program_.exprs[id].node);
      if (node == nullptr || node->op == BinaryOp::Power || Precedence(node->op) < loosest) break;
      loosest = Precedence(node->op);
      spine.push_back(node);
      id = node->lhs;
    }
    Append(id, Precedence(spine.back()->op));
    for (std::size_t i = spine.size(); i-- > 0;) {
      Operator(spine[i]->op);
      if (i == 0) return Rest{spine[i]->rhs, Precedence(spine[i]->op) + 1};
      Append(spine[i]->rhs, Precedence(spine[i]->op) + 1);
    }
    return std::nullopt;
  }

  void Operator(BinaryOp op) {
    if (!compact_) out_.push_back(' ');
    out_.append(ToString(op));
    if (!compact_) out_.push_back(' ');
  }

  std::optional<Rest> Choice(const Conditional& conditional) {
    Append(conditional.condition, kConditionalPrecedence + 1);
    out_.append(" ? ");
    Append(conditional.then_value, kLoosest);
    out_.append(" : ");
    return Rest{conditional.else_value, kConditionalPrecedence};
  }

  std::optional<Rest> Leaf(const IntLiteral& literal) {
    fmt::format_to(std::back_inserter(out_), "{}", literal.value);
    return std::nullopt;
  }
  std::optional<Rest> Leaf(const FloatLiteral& literal) {
    out_.append(FloatText(literal));
    return std::nullopt;
  }
  std::optional<Rest> Leaf(const NameRef& reference) {
    out_.append(reference.name);
    return std::nullopt;
  }
  std::optional<Rest> Leaf(const Access& access) {
    out_.append(access.name.text);
    const bool outer = std::exchange(compact_, true);
    for (const ExprId index : access.indices) {
      out_.push_back('[');
      Append(index, kLoosest);
      out_.push_back(']');
    }
    compact_ = outer;
    return std::nullopt;
  }
  std::optional<Rest> Leaf(const Call& call) {
    out_.append(call.function.text).push_back('(');
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (i > 0) out_.append(", ");
      Append(call.arguments[i], kLoosest);
    }
    out_.push_back(')');
    return std::nullopt;
  }

  const Program& program_;
  bool compact_;
  std::string out_;
};

}  // namespace

std::string PrintExpr(const Program& program, ExprId id) {
  ExprPrinter printer(program, false);
  printer.Append(id, kLoosest);
  return printer.Take();
}

std::string PrintCompactExpr(const Program& program, ExprId id) {
  ExprPrinter printer(program, true);
  printer.Append(id, kLoosest);
  return printer.Take();
}

}  // namespace stencilgen::ast
