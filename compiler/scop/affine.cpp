#include "scop/affine.h"

#include <fmt/format.h>

#include "support/match.h"

namespace stencilgen::scop {
namespace {

using Pieces = std::vector<Piece>;

constexpr std::size_t kMostPieces = 32;

/// What is added to a negative number that becomes an unsigned one, at least: regions' numbers are
/// small, so that those of 64 bits compare alike.
constexpr std::int64_t kUnsignedTurn = std::int64_t{1} << 32;

std::string Both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return fmt::format("({}) and ({})", a, b);
}

/// A piece for each pair of pieces.
template <typename Join>
std::optional<Pieces> ForPairs(const Pieces& a, const Pieces& b, Join join) {
  Pieces out;
  for (const Piece& x : a) {
    for (const Piece& y : b) join(out, Both(x.condition, y.condition), x.value, y.value);
  }
  if (out.size() > kMostPieces) return std::nullopt;
  return out;
}

std::optional<std::int64_t> NumberOf(const Pieces& pieces) {
  if (pieces.size() != 1 || !pieces[0].condition.empty()) return std::nullopt;
  const std::string& text = pieces[0].value;
  std::size_t at = text.rfind("(-", 0) == 0 ? 2 : 0;
  const std::size_t end = at > 0 ? text.size() - 1 : text.size();
  if (at == end || end - at > 15) return std::nullopt;
  for (std::size_t k = at; k < end; ++k) {
    if (text[k] < '0' || text[k] > '9') return std::nullopt;
  }
  const std::int64_t value = std::stoll(text.substr(at, end - at));
  return at > 0 ? -value : value;
}

std::string NumberText(std::int64_t value) {
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string_view Comparison(BinaryOp op) {
  return op == BinaryOp::Equal ? "=" : ToString(op);
}

}  // namespace

std::string TextOf(const Region& region, ExprId id) {
  const Expr& expr = region.exprs[id];
  const auto text = [&](ExprId part) { return TextOf(region, part); };
  return Match(
      expr.node, [](const Integer& n) { return NumberText(n.value); },
      [](const Floating& n) { return fmt::format("{}", n.value); },
      [&](const Use& n) { return region.variables[n.variable].text; },
      [&](const Element& n) {
        std::string out = region.variables[n.variable].text;
        for (const ExprId s : n.subscripts) out += fmt::format("[{}]", text(s));
        return out;
      },
      [&](const Unary& n) { return fmt::format("({}{})", ToString(n.op), text(n.operand)); },
      [&](const Binary& n) {
        return fmt::format("({} {} {})", text(n.lhs), ToString(n.op), text(n.rhs));
      },
      [&](const Conditional& n) {
        return fmt::format("({} ? {} : {})", text(n.condition), text(n.then_value),
                           text(n.else_value));
      },
      [&](const Call& n) {
        std::string out;
        for (const ExprId a : n.arguments) out += (out.empty() ? "" : ", ") + text(a);
        return fmt::format("{}({})", n.function, out);
      },
      [&](const Cast& n) { return text(n.operand); });
}

bool AffineReader::IsFixed(ExprId id, const Scope& scope) const {
  const auto fixed = [&](ExprId part) { return IsFixed(part, scope); };
  return Match(
      region_.exprs[id].node, [](const Integer&) { return true; },
      [](const Floating&) { return false; },
      [&](const Use& n) {
        const auto inlined = inlined_.find(n.variable);
        if (inlined != inlined_.end()) return fixed(inlined->second);
        return scope.iterators.count(n.variable) == 0 && assigned_.count(n.variable) == 0 &&
               IsInteger(region_.variables[n.variable].type);
      },
      [](const Element&) { return false; }, [&](const Unary& n) { return fixed(n.operand); },
      [&](const Binary& n) { return fixed(n.lhs) && fixed(n.rhs); },
      [&](const Conditional& n) {
        return fixed(n.condition) && fixed(n.then_value) && fixed(n.else_value);
      },
      [](const Call&) { return false; }, [](const Cast&) { return false; });
}

std::string AffineReader::SymbolFor(ExprId id) {
  const std::string text = TextOf(region_, id);
  const auto [found, fresh] = by_text_.emplace(text, symbols_.size());
  if (fresh) {
    Symbol symbol{text, std::nullopt, region_.exprs[id].span};
    if (const auto* use = std::get_if<Use>(&region_.exprs[id].node))
      symbol.variable = use->variable;
    symbols_.push_back(symbol);
  }
  return NameOf(found->second);
}

std::string AffineReader::Parameters() const {
  std::string out;
  for (std::size_t k = 0; k < symbols_.size(); ++k) out += (k > 0 ? ", " : "") + NameOf(k);
  return fmt::format("[{}] -> ", out);
}

std::optional<Pieces> AffineReader::Value(ExprId id, const Scope& scope) {
  const Expr& expr = region_.exprs[id];
  return Match(
      expr.node,
      [](const Integer& n) {
        return std::optional(Pieces{{"", NumberText(n.value)}});
      },
      [&](const Use& n) -> std::optional<Pieces> {
        const auto iterator = scope.iterators.find(n.variable);
        if (iterator != scope.iterators.end()) return Pieces{{"", iterator->second}};
        const auto inlined = inlined_.find(n.variable);
        if (inlined != inlined_.end()) return Value(inlined->second, scope);
        if (!IsFixed(id, scope)) return std::nullopt;
        return Pieces{{"", SymbolFor(id)}};
      },
      [&](const Unary& n) -> std::optional<Pieces> {
        if (n.op == UnaryOp::Not) return Truth(id, scope);
        auto pieces = Value(n.operand, scope);
        if (!pieces || n.op == UnaryOp::Plus) return pieces;
        for (Piece& piece : *pieces) piece.value = fmt::format("(-{})", piece.value);
        return pieces;
      },
      [&](const Binary& n) { return ValueOf(n, id, scope); },
      [&](const Conditional& n) -> std::optional<Pieces> {
        const auto condition = Condition(n.condition, scope);
        const auto yes = Value(n.then_value, scope);
        const auto no = Value(n.else_value, scope);
        if (!condition || !yes || !no || yes->size() + no->size() > kMostPieces) {
          return std::nullopt;
        }
        Pieces out;
        for (const Piece& p : *yes) out.push_back({Both(*condition, p.condition), p.value});
        const std::string other = fmt::format("not ({})", *condition);
        for (const Piece& p : *no) out.push_back({Both(other, p.condition), p.value});
        return out;
      },
      [&](const Call& n) -> std::optional<Pieces> {
        const bool least = n.function == "min";
        if (!IsInteger(expr.type) || (!least && n.function != "max")) return std::nullopt;
        const auto a = Value(n.arguments[0], scope);
        const auto b = Value(n.arguments[1], scope);
        if (!a || !b) return std::nullopt;
        return ForPairs(*a, *b, [&](Pieces& out, const std::string& c, auto& x, auto& y) {
          out.push_back({Both(c, fmt::format("{} {} {}", x, least ? "<" : ">", y)), x});
          out.push_back({Both(c, fmt::format("{} {} {}", x, least ? ">=" : "<=", y)), y});
        });
      },
      [](const auto&) { return std::optional<Pieces>(); });
}

std::optional<Pieces> AffineReader::Truth(ExprId id, const Scope& scope) {
  const auto condition = Condition(id, scope);
  if (!condition) return std::nullopt;
  return Pieces{{*condition, "1"}, {fmt::format("not ({})", *condition), "0"}};
}

std::optional<Pieces> AffineReader::ValueOf(const Binary& node, ExprId id, const Scope& scope) {
  if (!IsInteger(region_.exprs[id].type)) return std::nullopt;
  if (IsComparison(node.op) || IsLogical(node.op)) return Truth(id, scope);
  if (node.op == BinaryOp::BitAnd) return LowBits(node, scope);
  if (node.op == BinaryOp::Div || node.op == BinaryOp::Mod) return Quotient(node, id, scope);
  if (node.op != BinaryOp::Add && node.op != BinaryOp::Sub && node.op != BinaryOp::Mul) {
    return std::nullopt;
  }
  const auto a = Value(node.lhs, scope);
  const auto b = Value(node.rhs, scope);
  if (!a || !b) return std::nullopt;
  if (node.op == BinaryOp::Mul && !NumberOf(*a) && !NumberOf(*b)) {
    if (IsFixed(id, scope)) return Pieces{{"", SymbolFor(id)}};
    return std::nullopt;
  }
  if (node.op == BinaryOp::Mul) {
    // isl multiplies by bare numbers only.
    const std::int64_t factor = NumberOf(*a) ? *NumberOf(*a) : *NumberOf(*b);
    auto scaled = NumberOf(*a) ? *b : *a;
    for (Piece& piece : scaled) piece.value = fmt::format("({}*({}))", factor, piece.value);
    return scaled;
  }
  return ForPairs(*a, *b, [&](Pieces& out, const std::string& c, auto& x, auto& y) {
    out.push_back({c, fmt::format("({} {} {})", x, ToString(node.op), y)});
  });
}

/// `t & 1`: a remainder that is never negative.
std::optional<Pieces> AffineReader::LowBits(const Binary& node, const Scope& scope) {
  auto a = Value(node.lhs, scope);
  auto b = Value(node.rhs, scope);
  if (!a || !b) return std::nullopt;
  if (NumberOf(*a)) std::swap(a, b);
  const auto mask = NumberOf(*b);
  const bool all_low = mask && *mask > 0 && (*mask & (*mask + 1)) == 0;
  if (!all_low) return std::nullopt;
  for (Piece& piece : *a) piece.value = fmt::format("({} mod {})", piece.value, *mask + 1);
  return a;
}

/// C's `/` and `%`, which round towards zero.
std::optional<Pieces> AffineReader::Quotient(const Binary& node, ExprId id, const Scope& scope) {
  const auto a = Value(node.lhs, scope);
  const auto b = Value(node.rhs, scope);
  if (!a || !b) return std::nullopt;
  const auto number = NumberOf(*b);
  if (!number && IsFixed(id, scope)) return Pieces{{"", SymbolFor(id)}};
  if (number && IsFixed(id, scope) && node.op == BinaryOp::Div) {
    return Pieces{{"", SymbolFor(id)}};
  }
  const bool quotient = node.op == BinaryOp::Div;
  if (number ? *number <= 0 : quotient) return std::nullopt;
  const bool wraps = MayWrap(node.lhs);
  Pieces out;
  for (const Piece& p : *a) {
    const std::string& x = p.value;
    const auto add = [&](const std::string& condition, const std::string& value) {
      out.push_back({Both(p.condition, condition), value});
    };
    if (number && quotient) {
      add(fmt::format("{} >= 0", x), fmt::format("floor({}/{})", x, *number));
      if (wraps) continue;
      add(fmt::format("{} < 0", x), fmt::format("(-floor((-{})/{}))", x, *number));
    } else if (number) {
      add(fmt::format("{} >= 0", x), fmt::format("({} mod {})", x, *number));
      if (wraps) continue;
      add(fmt::format("{} < 0", x), fmt::format("(-((-{}) mod {}))", x, *number));
    } else {
      // By a size: wherever the value is less than one turn below or two above.
      const std::string& n = (*b)[0].value;
      add(fmt::format("0 <= {0} < {1}", x, n), x);
      add(fmt::format("{1} <= {0} and {0} < 2*{1}", x, n), fmt::format("({} - {})", x, n));
      add(fmt::format("2*{1} <= {0} and {0} < 3*{1}", x, n), fmt::format("({} - 2*{})", x, n));
      if (wraps) continue;
      add(fmt::format("{0} < 0 and {0} > -{1}", x, n), x);
    }
  }
  if (out.size() > kMostPieces || b->size() != 1) return std::nullopt;
  return out;
}

bool AffineReader::MayWrap(ExprId id) const {
  const Expr& expr = region_.exprs[id];
  if (expr.type != CType::Unsigned) return false;
  const auto may = [&](ExprId part) {
    const CType type = region_.exprs[part].type;
    return type == CType::Unsigned ? MayWrap(part) : type != CType::Bool;
  };
  return Match(
      expr.node, [](const Integer& n) { return n.value < 0; },
      [&](const Use& n) {
        const auto inlined = inlined_.find(n.variable);
        return inlined != inlined_.end() ? may(inlined->second)
                                         : region_.variables[n.variable].type != CType::Unsigned;
      },
      [&](const Unary& n) { return n.op == UnaryOp::Negate || may(n.operand); },
      [&](const Binary& n) { return n.op == BinaryOp::Sub || may(n.lhs) || may(n.rhs); },
      [&](const Conditional& n) { return may(n.then_value) || may(n.else_value); },
      [](const auto&) { return true; });
}

/// As the comparison sees it: an unsigned number is never negative, but large.
std::optional<Pieces> AffineReader::Compared(ExprId id, const Scope& scope) {
  auto pieces = Value(id, scope);
  if (!pieces || !MayWrap(id)) return pieces;
  const bool known = NumberOf(*pieces).has_value();
  if (!known && IsFixed(id, scope)) {
    // What sizes are below zero is for the region's own code.
    for (const Piece& p : *pieces) {
      const std::string positive = fmt::format("{} >= 0", p.value);
      assumptions_.insert(
          p.condition.empty() ? positive : fmt::format("not ({}) or {}", p.condition, positive));
    }
    return pieces;
  }
  Pieces out;
  for (const Piece& p : *pieces) {
    out.push_back({Both(p.condition, fmt::format("{} >= 0", p.value)), p.value});
    out.push_back({Both(p.condition, fmt::format("{} < 0", p.value)),
                   fmt::format("({} + {})", p.value, kUnsignedTurn)});
  }
  return out;
}

std::optional<std::string> AffineReader::Condition(ExprId id, const Scope& scope) {
  const Expr& expr = region_.exprs[id];
  if (const auto* unary = std::get_if<Unary>(&expr.node); unary && unary->op == UnaryOp::Not) {
    const auto inner = Condition(unary->operand, scope);
    if (!inner) return std::nullopt;
    return fmt::format("not ({})", *inner);
  }
  const auto* binary = std::get_if<Binary>(&expr.node);
  if (binary != nullptr && IsLogical(binary->op)) {
    const auto a = Condition(binary->lhs, scope);
    const auto b = Condition(binary->rhs, scope);
    if (!a || !b) return std::nullopt;
    return fmt::format("(({}) {} ({}))", *a, binary->op == BinaryOp::And ? "and" : "or", *b);
  }
  std::optional<Pieces> pieces;
  if (binary != nullptr && IsComparison(binary->op)) {
    const auto a = Compared(binary->lhs, scope);
    const auto b = Compared(binary->rhs, scope);
    if (!a || !b) return std::nullopt;
    pieces = ForPairs(*a, *b, [&](Pieces& out, const std::string& c, auto& x, auto& y) {
      out.push_back({c, fmt::format("{} {} {}", x, Comparison(binary->op), y)});
    });
  } else if (IsInteger(expr.type)) {
    pieces = Value(id, scope);
    if (pieces) {
      for (Piece& piece : *pieces) piece.value += " != 0";
    }
  }
  if (!pieces) return std::nullopt;
  std::string text;
  for (const Piece& piece : *pieces) {
    if (!text.empty()) text += " or ";
    text += fmt::format("({})", Both(piece.condition, piece.value));
  }
  return text;
}

}  // namespace stencilgen::scop
