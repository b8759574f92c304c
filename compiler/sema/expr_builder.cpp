#include "sema/expr_builder.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "sema/extrapolate.h"
#include "sema/messages.h"
#include "sema/places.h"
#include "sema/reductions.h"
#include "sema/turns.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::LinearForm;

constexpr DiagnosticKind<> kFloatOverflow{"literal-overflow", Severity::Error,
                                          "this literal does not fit in a float"};
constexpr DiagnosticKind<> kIntegerDivision{"integer-division", Severity::Warning,
                                            "this integer division drops its remainder"};
constexpr DiagnosticKind<> kDivisionByZero{"division-by-zero", Severity::Error,
                                           "integer division by zero"};
constexpr DiagnosticKind<std::string_view, std::string_view> kOperandType{
    "operand-type", Severity::Error, "'{}' needs integer operands, not {}"};
constexpr DiagnosticKind<std::string_view> kLocalUnset{"read-before-write", Severity::Error,
                                                       "local '{}' is read before it is written"};

constexpr DiagnosticKind<std::string_view> kReductionHere{
    "misplaced-reduction", Severity::Error,
    "'{}' of many points can only be assigned to a scalar of the program"};

constexpr DiagnosticKind<std::string_view> kPlaceType{"place-type", Severity::Error,
                                                      "an index must be an int, this is a {}"};
constexpr DiagnosticKind<> kPlaceWritten{"place-written", Severity::Error,
                                         "what is written cannot be at a place that is a value"};
constexpr DiagnosticKind<std::string_view> kPlaceLocal{
    "place-in-local", Severity::Error,
    "'{}' is local to the stencil, it cannot be read at places that are values"};

constexpr std::int64_t kLargestPower = 64;

}  // namespace

std::optional<Value> ExprBuilder::Build(ast::ExprId id) {
  // Sums are long left spines: fold them without recursing down the spine.
  std::vector<ast::ExprId> spine{id};
  while (const auto* binary = std::get_if<ast::Binary>(&context_.ast.exprs[spine.back()].node)) {
    spine.push_back(binary->lhs);
  }
  const ast::Expr& first = context_.ast.exprs[spine.back()];
  std::optional<Value> value =
      Match(first.node, [&](const auto& node) { return BuildNode(node, first.span); });
  spine.pop_back();
  for (; !spine.empty(); spine.pop_back()) {
    const ast::Expr& expr = context_.ast.exprs[spine.back()];
    const auto& binary = std::get<ast::Binary>(expr.node);
    const std::optional<Value> rhs = Build(binary.rhs);
    value = value && rhs ? Combine(binary.op, *value, *rhs, expr.span) : std::nullopt;
  }
  return value;
}

std::optional<Value> ExprBuilder::BuildNode(const ast::Binary& /*n*/, Span /*span*/) {
  STENCILGEN_CHECK(!"binary nodes are on the spine");
  return std::nullopt;
}

Value ExprBuilder::IntegerLiteral(std::int64_t value, Span span) {
  return Add(graph::Literal{static_cast<double>(value), value}, ScalarType::Int, span);
}

std::optional<Value> ExprBuilder::BuildNode(const ast::IntLiteral& n, Span span) {
  if (n.value > kLargestInteger) {
    context_.sink.Report(span, kLiteralOverflow);
    return std::nullopt;
  }
  return IntegerLiteral(n.value, span);
}

std::optional<Value> ExprBuilder::BuildNode(const ast::FloatLiteral& n, Span span) {
  if (n.single && std::fabs(n.value) > static_cast<double>(FLT_MAX)) {
    context_.sink.Report(span, kFloatOverflow);
    return std::nullopt;
  }
  return Add(graph::Literal{n.value, 0}, n.single ? ScalarType::Float : ScalarType::Double, span,
             !n.single);
}

Value ExprBuilder::IteratorValue(std::uint32_t iterator, Span span) {
  varies_ |= 1U << iterator;
  const Value value = Add(graph::IteratorRef{static_cast<int>(iterator)}, ScalarType::Int, span);
  const LinearForm& shift = scope_.shift[iterator];
  if (shift == LinearForm{}) return value;
  const graph::ExprId offset = context_.AddLinear(shift, span);
  return Add(graph::Binary{BinaryOp::Sub, value.id, offset}, ScalarType::Int, span);
}

std::optional<Value> ExprBuilder::BuildNode(const ast::NameRef& n, Span span) {
  const Ref ref = scope_.resolve(n.name);
  switch (ref.kind) {
    case RefKind::Undeclared:
      return std::nullopt;  // reported by CheckStencil
    case RefKind::Number:
      return Build(ref.number);
    case RefKind::Iterator:
      return IteratorValue(ref.index, span);
    case RefKind::Parameter: {
      const graph::ParameterId id{ref.index, context_.graph.parameters[{ref.index}].turn};
      if (!RequireTurn(context_, id, span)) return std::nullopt;
      const auto& fixed = context_.graph.parameters[id].fixed;
      if (fixed) return IntegerLiteral(*fixed, span);
      return Add(graph::ParameterRef{id}, ScalarType::Int, span);
    }
    case RefKind::LocalScalar: {
      const int definition = scope_.current_definition(ref.index);
      if (definition < 0) {
        context_.sink.Report(span, kLocalUnset, n.name);
        return std::nullopt;
      }
      definitions_read_.push_back(definition);
      return Add(graph::LetRef{definition}, scope_.definition_type(definition), span);
    }
    case RefKind::Array:
      break;
  }
  const graph::ArrayId id{ref.index};
  const graph::Array& array = context_.graph.arrays[id];
  if (context_.WrittenRank(id) > 0) {
    context_.ReportRank(id, {n.name, span}, span, 0);
    return std::nullopt;
  }
  return Read(id, std::vector<graph::Index>(array.rank()), span);
}

std::optional<graph::Index> ExprBuilder::AffineIndex(ast::ExprId id) {
  auto index = ToIndex(context_, scope_.resolve, id);
  if (index && index->iterator >= 0) {
    const LinearForm& shift = scope_.shift[static_cast<std::size_t>(index->iterator)];
    index->offset = index->offset - shift * index->coefficient;
  }
  return index;
}

std::optional<graph::Index> ExprBuilder::PlaceIndex(ast::ExprId id) {
  const auto value = Build(id);
  if (!value) return std::nullopt;
  if (IsFloating(TypeOf(*value))) {
    context_.sink.Report(context_.ast.exprs[id].span, kPlaceType, ToString(TypeOf(*value)))
        .Hint("an index is computed from integers: declare `int` what says places");
    return std::nullopt;
  }
  graph::Index index;
  index.place = ConvertTo(*value, ScalarType::Int);
  return index;
}

template <typename ToIndexOf>
std::optional<std::vector<graph::Index>> ExprBuilder::Indices(
    const std::vector<ast::ExprId>& indices, const ToIndexOf& to_index) {
  std::vector<graph::Index> out;
  for (const ast::ExprId id : indices) {
    if (auto index = to_index(id)) out.push_back(*std::move(index));
  }
  if (out.size() < indices.size()) return std::nullopt;
  return out;
}

std::optional<std::vector<graph::Index>> ExprBuilder::Indices(
    const std::vector<ast::ExprId>& indices) {
  return Indices(indices, [&](ast::ExprId id) -> std::optional<graph::Index> {
    if (!IsPlace(context_, scope_.resolve, id)) return AffineIndex(id);
    context_.sink.Report(context_.ast.exprs[id].span, kPlaceWritten)
        .Hint("one place may be a `parameter`; for many, let elements read what they get");
    return std::nullopt;
  });
}

std::optional<std::vector<graph::Index>> ExprBuilder::ReadIndices(
    const std::vector<ast::ExprId>& indices) {
  return Indices(indices, [&](ast::ExprId id) {
    return IsPlace(context_, scope_.resolve, id) ? PlaceIndex(id) : AffineIndex(id);
  });
}

std::optional<Value> ExprBuilder::BuildNode(const ast::Access& n, Span span) {
  const Ref ref = scope_.resolve(n.name.text);
  if (ref.kind == RefKind::Undeclared) return std::nullopt;
  if (ref.kind != RefKind::Array) {
    context_.sink.Report(n.name.span, kNotIndexed, n.name.text);
    return std::nullopt;
  }
  const graph::ArrayId id{ref.index};
  const std::size_t rank = context_.WrittenRank(id);
  if (rank == 0 || rank != n.indices.size()) {
    context_.ReportRank(id, n.name, span, n.indices.size());
    return std::nullopt;
  }
  auto indices = ReadIndices(n.indices);
  if (!indices) return std::nullopt;
  const bool places = std::any_of(indices->begin(), indices->end(),
                                  [](const graph::Index& index) { return index.place.Valid(); });
  if (places && context_.graph.arrays[id].local) {
    context_.sink.Report(span, kPlaceLocal, n.name.text)
        .Hint("only arrays of the program are whole, so that any of their elements can be read");
    return std::nullopt;
  }
  return Read(id, std::move(*indices), span);
}

std::optional<Value> ExprBuilder::Read(graph::ArrayId id, std::vector<graph::Index> indices,
                                       Span span) {
  const graph::Array& array = context_.graph.arrays[id];
  const graph::VersionId version = context_.current[id.index];
  if (!version.Valid()) {
    context_.sink.Report(span, kLocalUnset, context_.arrays[id.index].source_name);
    return std::nullopt;
  }
  ArrayFacts& facts = context_.arrays[id.index];
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const graph::Index& index = indices[d];
    if (index.iterator >= 0) varies_ |= 1U << static_cast<unsigned>(index.iterator);
    const bool open =
        !facts.boundary.empty() && facts.boundary[d].kind != graph::BoundaryKind::None;
    if (index.iterator < 0 && !index.place.Valid() && !open &&
        (AlwaysNegative(Largest(context_, index.offset)) ||
         AlwaysNegative(Largest(context_, array.extents[d] - 1 - index.offset)))) {
      context_.sink.Report(span, kIndexOutside, facts.source_name,
                           static_cast<std::int64_t>(d + 1));
      return std::nullopt;
    }
  }
  if (context_.WrittenRank(id) > 0) reads_arrays_ = true;
  facts.used = true;
  const ScalarType type = array.type;
  auto boundary = WithPlaces(indices, facts.boundary);
  graph::Access access{version, std::move(indices), std::move(boundary)};
  return Value{AddExtrapolated(context_, std::move(access), facts.extrapolated, type, span)};
}

std::optional<Value> ExprBuilder::BuildNode(const ast::Unary& n, Span span) {
  auto operand = Build(n.operand);
  if (!operand) return std::nullopt;
  if (n.op == UnaryOp::Not) {
    const graph::ExprId truth = ConvertTo(*operand, ScalarType::Bool);
    return Add(graph::Unary{n.op, truth}, ScalarType::Bool, span);
  }
  if (TypeOf(*operand) == ScalarType::Bool) operand = Value{ConvertTo(*operand, ScalarType::Int)};
  if (n.op == UnaryOp::Plus) return operand;
  const ScalarType type = TypeOf(*operand);
  return Add(graph::Unary{n.op, operand->id}, type, span, operand->flexible);
}

std::optional<Value> ExprBuilder::BuildNode(const ast::Conditional& n, Span span) {
  const auto condition = Build(n.condition);
  const auto then_value = Build(n.then_value);
  const auto else_value = Build(n.else_value);
  if (!condition || !then_value || !else_value) return std::nullopt;
  const graph::ExprId truth = ConvertTo(*condition, ScalarType::Bool);
  const auto [a, b] = Promote(*then_value, *else_value);
  const ScalarType type = TypeOf(a);
  return Add(graph::Conditional{truth, a.id, b.id}, type, span, a.flexible && b.flexible);
}

std::optional<Value> ExprBuilder::BuildNode(const ast::Call& n, Span span) {
  if (FindReduction(n.function.text, n.arguments.size())) {
    if (scope_.reduce != nullptr) return scope_.reduce(n, span);
    context_.sink.Report(span, kReductionHere, n.function.text)
        .Hint("assign it to a scalar of the program, in a statement of its own");
    return std::nullopt;
  }
  const auto function = FindFunction(n.function.text);
  std::vector<Value> arguments;
  for (const ast::ExprId id : n.arguments) {
    const auto argument = Build(id);
    if (argument) arguments.push_back(*argument);
  }
  if (!function || arguments.size() != n.arguments.size() ||
      arguments.size() != static_cast<std::size_t>(Info(*function).arity)) {
    return std::nullopt;
  }
  for (std::size_t pass = 0; pass < arguments.size(); ++pass) {  // all to one type
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      std::tie(arguments[0], arguments[i]) = Promote(arguments[0], arguments[i]);
    }
  }
  const bool keeps_integers =
      *function == Function::Min || *function == Function::Max || *function == Function::Abs;
  for (Value& argument : arguments) {
    if (TypeOf(argument) == ScalarType::Bool) argument = {ConvertTo(argument, ScalarType::Int)};
    if (!keeps_integers && TypeOf(argument) == ScalarType::Int) {
      argument = {ConvertTo(argument, ScalarType::Double)};
    }
  }
  graph::Call call{*function, {}};
  for (const Value& argument : arguments) call.arguments.push_back(argument.id);
  const ScalarType type = TypeOf(arguments[0]);
  return Add(std::move(call), type, span, arguments[0].flexible);
}

ScalarType ExprBuilder::CommonType(Value value, ScalarType other) const {
  // A flexible value takes a floating type that it meets.
  if (value.flexible && IsFloating(other)) return other;
  return std::max({TypeOf(value), other, ScalarType::Int});
}

std::pair<Value, Value> ExprBuilder::Promote(Value a, Value b) {
  if (TypeOf(a) == ScalarType::Bool) a = {ConvertTo(a, ScalarType::Int)};
  if (TypeOf(b) == ScalarType::Bool) b = {ConvertTo(b, ScalarType::Int)};
  if (a.flexible && b.flexible) return {a, b};
  const auto meet = [&](Value flexible, Value other) {
    // An int does not decide the type of a literal; the sum of both stays flexible.
    if (TypeOf(other) == ScalarType::Int) {
      return std::pair{flexible, Value{ConvertTo(other, ScalarType::Double), true}};
    }
    return std::pair{Value{ConvertTo(flexible, TypeOf(other))}, other};
  };
  if (a.flexible) return meet(a, b);
  if (b.flexible) {
    auto [second, first] = meet(b, a);
    return {first, second};
  }
  const ScalarType type = std::max(TypeOf(a), TypeOf(b));
  return {Value{ConvertTo(a, type)}, Value{ConvertTo(b, type)}};
}

std::optional<Value> ExprBuilder::RequireIntegers(std::string_view op, Value lhs, Value rhs,
                                                  Span span) {
  for (const Value& side : {lhs, rhs}) {
    if (!IsFloating(TypeOf(side))) continue;
    auto report = context_.sink.Report(span, kOperandType, op, ToString(TypeOf(side)));
    if (op == "%") report.Hint("use `fmod` for floating-point remainders");
    return std::nullopt;
  }
  return lhs;
}

std::optional<Value> ExprBuilder::Combine(BinaryOp op, Value lhs, Value rhs, Span span) {
  if (op == BinaryOp::Power) return BuildPower(lhs, rhs, span);
  if (IsLogical(op)) {
    const graph::ExprId a = ConvertTo(lhs, ScalarType::Bool);
    const graph::ExprId b = ConvertTo(rhs, ScalarType::Bool);
    return Add(graph::Binary{op, a, b}, ScalarType::Bool, span);
  }
  if (IsBitwise(op) || op == BinaryOp::Mod) {
    if (!RequireIntegers(ToString(op), lhs, rhs, span)) return std::nullopt;
  }
  if (IsBitwise(op) && TypeOf(lhs) == ScalarType::Bool && TypeOf(rhs) == ScalarType::Bool) {
    return Add(graph::Binary{op, lhs.id, rhs.id}, ScalarType::Bool, span);
  }
  const auto [a, b] = Promote(lhs, rhs);
  const bool flexible = a.flexible && b.flexible;
  const ScalarType type = TypeOf(a);
  if (IsComparison(op)) return Add(graph::Binary{op, a.id, b.id}, ScalarType::Bool, span);
  if (type == ScalarType::Int && (op == BinaryOp::Div || op == BinaryOp::Mod)) {
    const auto* divisor = std::get_if<graph::Literal>(&ExprOf(b).node);
    const auto* dividend = std::get_if<graph::Literal>(&ExprOf(a).node);
    if (divisor != nullptr && divisor->integer == 0) {
      context_.sink.Report(span, kDivisionByZero);
      return std::nullopt;
    }
    if (op == BinaryOp::Div && divisor != nullptr && dividend != nullptr &&
        dividend->integer % divisor->integer != 0) {
      context_.sink.Report(span, kIntegerDivision).Hint("write 1.0 for a floating-point quotient");
    }
  }
  return Add(graph::Binary{op, a.id, b.id}, type, span, flexible);
}

std::optional<Value> ExprBuilder::BuildPower(Value base, Value exponent, Span span) {
  if (TypeOf(base) == ScalarType::Bool) base = {ConvertTo(base, ScalarType::Int)};
  const graph::Expr exponent_expr = ExprOf(exponent);
  const graph::Expr* literal_expr = &exponent_expr;
  std::int64_t sign = 1;
  graph::Expr inner;
  if (const auto* negated = std::get_if<graph::Unary>(&exponent_expr.node)) {
    inner = context_.graph.exprs[negated->operand];
    literal_expr = &inner;
    sign = -1;
  }
  const auto* literal = std::get_if<graph::Literal>(&literal_expr->node);
  const bool whole = literal != nullptr && literal_expr->type == ScalarType::Int &&
                     literal->integer <= kLargestPower;
  if (whole && (sign > 0 || IsFloating(TypeOf(base)))) {
    const Value n = IntegerLiteral(literal->integer, span);
    const ScalarType type = TypeOf(base);
    const Value power =
        Add(graph::Binary{BinaryOp::Power, base.id, n.id}, type, span, base.flexible);
    if (sign > 0) return power;
    const Value one = Add(graph::Literal{1.0, 0}, type, span, base.flexible);
    return Add(graph::Binary{BinaryOp::Div, one.id, power.id}, type, span, base.flexible);
  }
  auto [a, b] = Promote(base, exponent);
  if (TypeOf(a) == ScalarType::Int) {
    a = {ConvertTo(a, ScalarType::Double)};
    b = {ConvertTo(b, ScalarType::Double)};
  }
  const ScalarType type = TypeOf(a);
  return Add(graph::Binary{BinaryOp::Power, a.id, b.id}, type, span, a.flexible && b.flexible);
}

graph::ExprId ExprBuilder::ConvertTo(Value value, ScalarType type) {
  const graph::Expr expr = ExprOf(value);
  if (value.flexible && IsFloating(type)) {
    Retype(value.id, type);
    return value.id;
  }
  if (expr.type == type) return value.id;
  if (const auto* literal = std::get_if<graph::Literal>(&expr.node)) {
    if (expr.type == ScalarType::Int && IsFloating(type)) {
      const auto number = static_cast<double>(literal->integer);
      return Add(graph::Literal{type == ScalarType::Float ? static_cast<float>(number) : number, 0},
                 type, expr.span)
          .id;
    }
  }
  return Add(graph::Convert{value.id}, type, expr.span).id;
}

void ExprBuilder::Retype(graph::ExprId id, ScalarType type) {
  graph::Expr& expr = context_.graph.exprs[id];
  if (expr.type == type || !IsFloating(expr.type)) return;  // done, or an exponent or condition
  expr.type = type;
  const graph::Expr copy = expr;
  Match(
      copy.node,
      [&](const graph::Literal& n) {
        if (type == ScalarType::Float && std::fabs(n.value) > static_cast<double>(FLT_MAX)) {
          context_.sink.Report(copy.span, kFloatOverflow);
        }
      },
      [&](const graph::Unary& n) { Retype(n.operand, type); },
      [&](const graph::Binary& n) {
        Retype(n.lhs, type);
        Retype(n.rhs, type);
      },
      [&](const graph::Conditional& n) {
        Retype(n.then_value, type);
        Retype(n.else_value, type);
      },
      [&](const graph::Call& n) {
        for (const graph::ExprId argument : n.arguments) Retype(argument, type);
      },
      [](const auto&) {});  // a converted int: its Convert node now converts to `type`
}

}  // namespace stencilgen::sema
