#include "sema/affine.h"

#include "sema/messages.h"
#include "sema/turns.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kNotASize{
    "not-a-size", Severity::Error, "{} must be an integer, a parameter, or parameter ± integer"};
constexpr DiagnosticKind<> kNonAffine{"non-affine-index", Severity::Error,
                                      "this index is not an affine function of one iterator"};

constexpr DiagnosticKind<std::string_view> kTurnInSize{"turn-in-size", Severity::Error,
                                                       "{} cannot depend on the turn of a loop"};
constexpr DiagnosticKind<> kTurnAndIterator{
    "turn-and-iterator", Severity::Error, "this index has both an iterator and the turn of a loop"};

bool TooLarge(const Affine& affine) {
  const auto large = [](std::int64_t v) { return v > kLargestInteger || v < -kLargestInteger; };
  for (const std::int64_t c : affine.coefficients) {
    if (large(c)) return true;
  }
  for (const auto& [parameter, c] : affine.form.terms) {
    if (large(c)) return true;
  }
  return large(affine.form.constant);
}

bool IsNumber(const Affine& affine) {
  return affine.form.IsConstant() &&
         affine.coefficients == std::array<std::int64_t, kMostIterators>{};
}

Affine Scale(Affine affine, std::int64_t factor) {
  for (std::int64_t& c : affine.coefficients) c *= factor;
  affine.form = affine.form * factor;
  return affine;
}

Affine Sum(Affine a, const Affine& b, std::int64_t sign) {
  for (std::size_t d = 0; d < kMostIterators; ++d) a.coefficients[d] += sign * b.coefficients[d];
  a.form = a.form + b.form * sign;
  return a;
}

class AffineBuilder {
 public:
  AffineBuilder(Context& context, const Resolver& resolve) : context_(context), resolve_(resolve) {}

  std::optional<Affine> Build(ast::ExprId id) {
    const ast::Expr& expr = context_.ast.exprs[id];
    auto affine = Match(
        expr.node, [&](const ast::IntLiteral& n) { return Number(n.value); },
        [&](const ast::NameRef& n) { return Name(n.name, expr.span); },
        [&](const ast::Unary& n) { return Apply(n); },
        [&](const ast::Binary& n) { return Apply(n); },
        [](const auto&) { return std::optional<Affine>(); });
    if (affine && TooLarge(*affine)) {
      if (!overflowed_) context_.sink.Report(expr.span, kLiteralOverflow);
      overflowed_ = true;
      return std::nullopt;
    }
    return affine;
  }

  bool spoke() const { return overflowed_ || undeclared_; }
  bool divides_turn() const { return divides_turn_; }

 private:
  static std::optional<Affine> Number(std::int64_t value) {
    Affine affine;
    affine.form = graph::LinearForm::Constant(value);
    return affine;
  }

  std::optional<Affine> Name(const std::string& name, Span span) {
    const Ref ref = resolve_(name);
    Affine affine;
    switch (ref.kind) {
      case RefKind::Iterator:
        affine.coefficients[ref.index] = 1;
        return affine;
      case RefKind::Parameter: {
        graph::ParameterId id{ref.index};
        id.turn = context_.graph.parameters[id].turn;
        if (!RequireTurn(context_, id, span)) {
          undeclared_ = true;
          return std::nullopt;
        }
        const auto& fixed = context_.graph.parameters[id].fixed;
        affine.form =
            fixed ? graph::LinearForm::Constant(*fixed) : graph::LinearForm::Parameter(id);
        return affine;
      }
      case RefKind::Number:
        return Build(ref.number);
      case RefKind::Undeclared:
        ReportUndeclared(name, span);
        undeclared_ = true;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  void ReportUndeclared(const std::string& name, Span span) {
    auto report = context_.sink.Report(span, kUndeclared, name);
    if (report.HintNearest(name, graph::ParameterNames(context_.graph))) return;
    report.Hint(fmt::format("sizes are declared: `parameter {}=512;`", name));
  }

  std::optional<Affine> Apply(const ast::Unary& n) {
    auto operand = Build(n.operand);
    if (!operand || n.op == UnaryOp::Not) return std::nullopt;
    return n.op == UnaryOp::Negate ? Scale(*operand, -1) : *operand;
  }

  /// In a part that runs every N turns the turn t is N*execution + N - 1, and t/N linear.
  std::optional<Affine> Divide(const ast::Binary& n) {
    const auto lhs = Build(n.lhs);
    const auto rhs = Build(n.rhs);
    if (!lhs || !rhs || !HasTurn(lhs->form)) return std::nullopt;
    divides_turn_ = true;
    const std::int64_t divisor = IsNumber(*rhs) ? rhs->form.constant : 0;
    for (const EveryScope& every : context_.every) {
      const std::int64_t last = every.turns - 1 + lhs->form.constant;
      const bool is_turn =
          every.turn.Valid() && lhs->coefficients == std::array<std::int64_t, kMostIterators>{} &&
          lhs->form - lhs->form.constant == graph::LinearForm::Parameter(every.turn);
      if (!is_turn || divisor < 1 || every.turns % divisor != 0 || last < 0) continue;
      Affine affine;
      affine.form =
          graph::LinearForm::Parameter(every.execution) * (every.turns / divisor) + last / divisor;
      return affine;
    }
    return std::nullopt;
  }

  std::optional<Affine> Apply(const ast::Binary& n) {
    if (n.op == BinaryOp::Div) return Divide(n);
    if (n.op != BinaryOp::Add && n.op != BinaryOp::Sub && n.op != BinaryOp::Mul) {
      return std::nullopt;
    }
    const auto lhs = Build(n.lhs);
    const auto rhs = Build(n.rhs);
    if (!lhs || !rhs) return std::nullopt;
    if (n.op == BinaryOp::Add) return Sum(*lhs, *rhs, 1);
    if (n.op == BinaryOp::Sub) return Sum(*lhs, *rhs, -1);
    if (IsNumber(*lhs)) return Scale(*rhs, lhs->form.constant);
    if (IsNumber(*rhs)) return Scale(*lhs, rhs->form.constant);
    return std::nullopt;
  }

  Context& context_;
  const Resolver& resolve_;
  bool overflowed_ = false;
  bool undeclared_ = false;
  bool divides_turn_ = false;
};

}  // namespace

std::optional<Affine> ToAffine(Context& context, const Resolver& resolve, ast::ExprId expr) {
  return AffineBuilder(context, resolve).Build(expr);
}

std::optional<graph::LinearForm> ToLinear(Context& context, const Resolver& resolve,
                                          ast::ExprId expr, std::string_view what) {
  AffineBuilder builder(context, resolve);
  auto affine = builder.Build(expr);
  if (affine && HasTurn(affine->form)) {
    context.sink.Report(context.ast.exprs[expr].span, kTurnInSize, what);
    return std::nullopt;
  }
  if (affine && affine->coefficients == std::array<std::int64_t, kMostIterators>{})
    return affine->form;
  if (!builder.spoke()) context.sink.Report(context.ast.exprs[expr].span, kNotASize, what);
  return std::nullopt;
}

/// True for `(i + 1) % N`.
static bool IsRemainder(const Context& context, ast::ExprId expr) {
  const auto* binary = std::get_if<ast::Binary>(&context.ast.exprs[expr].node);
  return binary != nullptr && binary->op == BinaryOp::Mod;
}

std::optional<graph::Index> ToIndex(Context& context, const Resolver& resolve, ast::ExprId expr) {
  AffineBuilder builder(context, resolve);
  auto affine = builder.Build(expr);
  int used = 0;
  graph::Index index;
  if (affine) {
    for (std::size_t d = 0; d < kMostIterators; ++d) {
      if (affine->coefficients[d] == 0) continue;
      ++used;
      index.iterator = static_cast<int>(d);
      index.coefficient = affine->coefficients[d];
    }
    index.offset = affine->form;
  }
  if (affine && used == 1 && HasTurn(index.offset)) {
    context.sink.Report(context.ast.exprs[expr].span, kTurnAndIterator)
        .Hint("give the array a dimension for the turn: `rec[t][i]`");
    return std::nullopt;
  }
  if (affine && used <= 1) return index;
  if (!builder.spoke()) {
    context.sink.Report(context.ast.exprs[expr].span, kNonAffine)
        .Hint(builder.divides_turn()
                  ? "a turn is divided by how often the call is made, or a part of that: "
                    "`every 10 : film (movie, u);` with `movie[t/10][j][i]`"
              : IsRemainder(context, expr)
                  ? "`boundary u = wrap;` makes `u[i+1]` read the first element at the last one"
                  : "an index is `iterator`, `iterator ± constant`, `constant * iterator ± "
                    "constant`, a constant, or `parameter ± constant`");
  }
  return std::nullopt;
}

Resolver ProgramResolver(const Context& context) {
  return [&context](const std::string& name) -> Ref {
    const auto found = context.symbols.find(name);
    if (found == context.symbols.end()) return {};
    const RefKind kind = found->second.kind == SymbolKind::Parameter  ? RefKind::Parameter
                         : found->second.kind == SymbolKind::Iterator ? RefKind::Iterator
                                                                      : RefKind::Array;
    return {kind, found->second.index, {}};
  };
}

}  // namespace stencilgen::sema
