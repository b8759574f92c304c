// Values of statements: C's expressions with C's types, in the language.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <isl/map.h>

#include "scop/boundaries.h"
#include "scop/program_writer.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<> kWideInteger{
    "c-wide-integer", Severity::Error,
    "this is computed in an integer type other than `int`, which stencil programs have not"};
constexpr DiagnosticKind<std::string> kNoIndex{
    "c-index", Severity::Error,
    "`{}` is read at places that are no shift of the point that is computed"};
constexpr DiagnosticKind<std::string> kTwoCounters{
    "c-two-counters", Severity::Error,
    "this subscript adds `{}`, which counts a loop around the points, to a counter of the points"};

/// The form of one output that holds at all points, so that a statement for a few of them names the
/// same coordinates as what it shares scalars with.
std::optional<Linear> FormOf(const isl::map& everywhere, std::size_t d) {
  if (!OneOutput(everywhere, d).is_single_valued()) return std::nullopt;
  return ToLinear(OutputOf(everywhere, d));
}

}  // namespace

std::optional<ScalarType> ScalarTypeOf(CType type) {
  switch (RealTypeOf(type)) {
    case CType::Bool:
      return ScalarType::Bool;
    case CType::Int:
      return ScalarType::Int;
    case CType::Float:
      return ScalarType::Float;
    case CType::Double:
      return ScalarType::Double;
    default:
      return std::nullopt;
  }
}

isl::map Frame::MapOf(const Model& model, const Step& step) const {
  return model.Map(fmt::format("{{ S{}[{}] -> [{}] }}", step.number, Tuple(loops), coordinates));
}

std::vector<std::string> Frame::Dims() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < size(); ++k) names.push_back(fmt::format("e{}", k));
  return names;
}

std::optional<ast::ExprId> ValueWriter::Indexed(const Step& step, const Access& access, Span span) {
  const isl::map coordinates = frame_.MapOf(writing_.model, step);
  const isl::map everywhere = access.everywhere.apply_domain(coordinates);
  const isl::map computed =
      access.everywhere.intersect_domain(step.computed).apply_domain(coordinates);
  const Variable& variable = writing_.region.variables[access.variable];
  const ArrayViews& views = writing_.views.at(access.variable.index);
  std::vector<std::vector<SubscriptCase>> subscripts;
  for (std::size_t d = views.dropped; d < variable.extents.size(); ++d) {
    auto linear = FormOf(everywhere, d);
    if (!linear) linear = Subscript(access, computed, d);
    if (linear) {
      subscripts.push_back({{{}, *linear}});
    } else {
      subscripts.push_back(Cases(access, computed, d));
    }
    for (const SubscriptCase& each : subscripts.back()) {
      if (!CheckOneCounter(step, each.value, span)) return std::nullopt;
      if (!access.write) writing_.reads.push_back({step.number, access.variable, d, each.value});
    }
    if (!subscripts.back().empty()) continue;
    writing_.sink.Report(span, kNoIndex, variable.text)
        .Hint("subscripts are a counter plus or minus a number or a size: `u[i+1][j]`");
    return std::nullopt;
  }
  return Chosen({{views.names[PartOf(writing_, step, access)], span}, {}}, subscripts, span);
}

std::vector<SubscriptCase> ValueWriter::Cases(const Access& access, const isl::map& map,
                                              std::size_t d) {
  if (access.write) return {};
  std::vector<SubscriptCase> cases = FindSubscriptCases(map, d);
  if (cases.empty()) {
    const Linear& extent = writing_.extents.at(access.variable.index)[d];
    const auto edge = FindEdgeSubscript(writing_.model, map, d, extent);
    if (edge) cases = FindSubscriptCases(WithoutDivisions(writing_.model, map, *edge, extent), 0);
  }
  // All cases are computed at all points, and where one does not count it may go past the edges.
  if (!cases.empty()) {
    writing_.boundaries.emplace(std::pair(access.variable.index, d), ast::BoundaryKind::Clamp);
  }
  return cases;
}

ast::ExprId ValueWriter::Chosen(ast::Access element,
                                const std::vector<std::vector<SubscriptCase>>& subscripts,
                                Span span) {
  if (element.indices.size() == subscripts.size()) {
    return writing_.Add({std::move(element), span});
  }
  const std::vector<SubscriptCase>& cases = subscripts[element.indices.size()];
  std::optional<ast::ExprId> chosen;
  for (std::size_t k = cases.size(); k-- > 0;) {
    const SubscriptCase& each = cases[k];
    ast::Access longer = element;
    longer.indices.push_back(writing_.Write(each.value, &frame_, span));
    const ast::ExprId value = Chosen(std::move(longer), subscripts, span);
    std::optional<ast::ExprId> all;
    for (const LinearCondition& condition : each.conditions) {
      const ast::ExprId one = Holds(condition, span);
      all = all ? writing_.Add({ast::Binary{BinaryOp::And, *all, one}, span}) : one;
    }
    chosen = chosen && all ? writing_.Add({ast::Conditional{*all, value, *chosen}, span}) : value;
  }
  return *chosen;
}

ast::ExprId ValueWriter::Holds(const LinearCondition& condition, Span span) {
  // Counters on the left, with a plus where there is one.
  Linear counters = condition.form, rest = condition.form;
  counters.symbols.clear();
  counters.constant = 0;
  std::fill(rest.dims.begin(), rest.dims.end(), 0);
  const bool turned = std::none_of(counters.dims.begin(), counters.dims.end(),
                                   [](std::int64_t factor) { return factor > 0; });
  const BinaryOp op = condition.is_equality ? BinaryOp::Equal
                      : turned              ? BinaryOp::LessEqual
                                            : BinaryOp::GreaterEqual;
  const ast::ExprId left = writing_.Write(Scaled(counters, turned ? -1 : 1), &frame_, span);
  const ast::ExprId right = writing_.Write(Scaled(rest, turned ? 1 : -1), &frame_, span);
  return writing_.Add({ast::Binary{op, left, right}, span});
}

bool ValueWriter::CheckOneCounter(const Step& step, const Linear& subscript, Span span) {
  const auto counter = [&](std::size_t loop) {
    const auto& node = std::get<Loop>(writing_.region.statements[step.loops[loop]].node);
    return writing_.region.variables[node.iterator].text;
  };
  const std::size_t count = frame_.turns.size();
  for (std::size_t turn = 0; turn < std::min(count, subscript.dims.size()); ++turn) {
    for (std::size_t c = count; c < subscript.dims.size(); ++c) {
      if (subscript.dims[turn] == 0 || subscript.dims[c] == 0) continue;
      const StatementId loop = step.loops[frame_.turns[turn]];
      writing_.sink.Report(span, kTwoCounters, counter(frame_.turns[turn]))
          .Note(writing_.region.statements[loop].span, "the loop that stays one")
          .Hint(
              "a loop over neighbours whose bounds are numbers, with at most 16 turns, is written "
              "out; other sums of counters have no counterpart");
      return false;
    }
  }
  return true;
}

std::optional<Linear> ValueWriter::Subscript(const Access& access, const isl::map& map,
                                             std::size_t d) {
  auto linear = ToLinear(OutputOf(map, d));
  if (linear || access.write) return linear;
  const Linear& extent = writing_.extents.at(access.variable.index)[d];
  // For other sizes the program is not called, or C's own code goes astray.
  const isl::set sizes = writing_.context.intersect(writing_.valid);
  const auto edge = FindEdgeSubscript(writing_.model, map.intersect_params(sizes), d, extent);
  if (!edge) return std::nullopt;
  const auto [mode, fresh] =
      writing_.boundaries.emplace(std::pair(access.variable.index, d), edge->kind);
  if (!fresh && mode->second != edge->kind) return std::nullopt;
  return edge->inner;
}

std::optional<ast::ExprId> ValueWriter::WritePlace(const Step& step, ExprId id) {
  for (const Access& access : step.accesses) {
    if (access.expr != id) continue;
    const Variable& variable = writing_.region.variables[access.variable];
    const Span span = writing_.region.exprs[id].span;
    if (!variable.extents.empty()) return Indexed(step, access, span);
    return writing_.Name(variable.name, span);
  }
  return std::nullopt;
}

std::optional<ast::ExprId> ValueWriter::WriteTarget(const Step& step) {
  const Variable& variable = writing_.region.variables[step.target];
  if (variable.extents.empty()) return writing_.Name(variable.name, step.span);
  return Indexed(step, step.accesses.back(), writing_.region.exprs[step.target_expr].span);
}

ValueWriter::Value ValueWriter::Typed(Value value, CType type) {
  const Span span = writing_.out.program.exprs[value.id].span;
  const ast::Name name{writing_.NewName("c"), span};
  ast::Declaration declaration{*ScalarTypeOf(type), {{name, {}, value.id}}, span};
  declaration.complex = IsComplex(type);
  stencil_.items.emplace_back(std::move(declaration));
  return {writing_.Name(name.text, span), false, type};
}

ValueWriter::Value ValueWriter::BeforeConversion(Value value, CType target) {
  const auto& node = writing_.out.program.exprs[value.id].node;
  if (!value.flexible || RealTypeOf(target) != CType::Float) return value;
  return std::holds_alternative<ast::FloatLiteral>(node) ? value : Typed(value, CType::Double);
}

ValueWriter::Value ValueWriter::Narrowed(Value value, ElementFormat format, ValueRange range) {
  const ValueRange held = HeldBy(format);
  if (IsFloating(value.type) || range.IsWithin(held)) return value;
  const Span span = writing_.out.program.exprs[value.id].span;
  const auto apply = [&](BinaryOp op, std::int64_t number) {
    value.id = writing_.Add({ast::Binary{op, value.id, writing_.Integer(number, span)}, span});
  };
  const std::int64_t bits = held.largest - held.least;
  apply(BinaryOp::BitAnd, bits);
  if (held.least < 0) {
    apply(BinaryOp::Add, -held.least);
    apply(BinaryOp::BitAnd, bits);
    apply(BinaryOp::Sub, -held.least);
  }
  value.type = CType::Int;
  return value;
}

void ValueWriter::Meet(Value& a, Value& b) {
  // A literal without `f` is double in C, and takes the type of a float here.
  if (a.flexible && !b.flexible && b.type == CType::Float) a = Typed(a, CType::Double);
  if (b.flexible && !a.flexible && a.type == CType::Float) b = Typed(b, CType::Double);
}

bool ValueWriter::AreFlexible(const std::vector<Value>& values) {
  const auto is_flexible = [](const Value& value) { return value.flexible; };
  return std::any_of(values.begin(), values.end(), is_flexible) &&
         std::all_of(values.begin(), values.end(), [](const Value& value) {
           return value.flexible || !IsFloating(RealTypeOf(value.type));
         });
}

std::optional<ValueWriter::Value> ValueWriter::Combine(BinaryOp op, Value a, Value b, Span span) {
  Meet(a, b);
  const CType wider = std::max(a.type, b.type);
  const CType type = IsComparison(op) || IsLogical(op)       ? CType::Bool
                     : IsFloating(wider) || IsComplex(wider) ? wider
                                                             : CType::Int;
  const bool flexible = !IsComparison(op) && !IsLogical(op) && AreFlexible({a, b});
  return Value{writing_.Add({ast::Binary{op, a.id, b.id}, span}), flexible, type};
}

std::optional<ValueWriter::Value> ValueWriter::WriteUse(const Step& step, VariableId variable,
                                                        const Expr& expr) {
  const Scope scope = ScopeOf(writing_.region, step.loops);
  const auto iterator = scope.iterators.find(variable);
  const Variable& named = writing_.region.variables[variable];
  if (iterator != scope.iterators.end()) {
    const std::size_t loop = static_cast<std::size_t>(std::stoi(iterator->second.substr(1)));
    const isl::map counters = frame_.MapOf(writing_.model, step);
    auto linear = FormOf(counters.reverse(), loop);
    if (!linear) {
      linear = ToLinear(OutputOf(counters.intersect_domain(step.computed).reverse(), loop));
    }
    if (!linear) {
      writing_.sink.Report(expr.span, kNoIndex, named.text);
      return std::nullopt;
    }
    return Value{writing_.Write(*linear, &frame_, expr.span), false, CType::Int};
  }
  const auto& inlined = writing_.model.affine->inlined();
  const auto found = inlined.find(variable);
  if (found != inlined.end()) return Write(step, found->second);
  const auto& symbols = writing_.model.affine->symbols();
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (symbols[k].variable != variable) continue;
    Linear linear;
    linear.symbols[k] = 1;
    return Value{writing_.Write(linear, nullptr, expr.span), false, CType::Int};
  }
  if (!ScalarTypeOf(named.type)) {
    writing_.sink.Report(expr.span, kWideInteger).Hint("convert it: `(double)n`, or use an `int`");
    return std::nullopt;
  }
  if (writing_.model.privates.count(variable) == 0) writing_.scalars.insert(variable);
  return Value{writing_.Name(named.name, expr.span), false, named.type};
}

std::optional<ValueWriter::Value> ValueWriter::WriteNode(const Step& step, const Binary& node,
                                                         const Expr& expr) {
  const bool arithmetic = !IsComparison(node.op) && !IsLogical(node.op);
  const bool sum = node.op == BinaryOp::Add || node.op == BinaryOp::Sub || node.op == BinaryOp::Mul;
  const bool compared = is_compared_ && expr.type == CType::Unsigned && sum;
  if (arithmetic && !compared && (expr.type == CType::Integer || expr.type == CType::Unsigned)) {
    return RefuseWide(expr.span);
  }
  const bool before = std::exchange(is_compared_, !arithmetic || compared);
  const auto a = Write(step, node.lhs);
  const auto b = Write(step, node.rhs);
  auto value = a && b ? Combine(node.op, *a, *b, expr.span) : std::nullopt;
  if (value && IsComparison(node.op)) value = WriteUnsigned(step, node, *value, expr.span);
  is_compared_ = before;
  return value;
}

std::optional<ValueWriter::Value> ValueWriter::RefuseWide(Span span) {
  writing_.sink.Report(span, kWideInteger).Hint("convert the operands to `int` or `double`");
  return std::nullopt;
}

/// True of an unsigned number that may be computed below zero. Sizes for which one of sizes alone
/// is are left to the region's own code.
bool ValueWriter::Wraps(ExprId id, const Scope& scope) {
  AffineReader& affine = *writing_.model.affine;
  if (!affine.MayWrap(id) || !affine.IsFixed(id, scope)) return affine.MayWrap(id);
  const auto pieces = affine.Value(id, scope);
  if (!pieces || pieces->size() != 1) return true;
  const isl::set context = writing_.context.intersect(
      writing_.model.Set(fmt::format("{{ : {} >= 0 }}", (*pieces)[0].value)));
  if (context.is_empty()) return true;
  if (writing_.context.is_subset(context)) return false;
  writing_.context = context.coalesce();
  writing_.out.keeps_code = true;
  return false;
}

/// What the comparison says where one side is an unsigned number that is computed below zero: it is
/// larger than any other.
std::optional<ValueWriter::Value> ValueWriter::WriteUnsigned(const Step& step, const Binary& node,
                                                             Value plain, Span span) {
  const Scope scope = ScopeOf(writing_.region, step.loops);
  const bool left = Wraps(node.lhs, scope), right = Wraps(node.rhs, scope);
  if (left && right) return RefuseWide(span);
  if (!left && !right) return plain;
  const bool less = node.op == BinaryOp::Less || node.op == BinaryOp::LessEqual;
  const bool holds = node.op == BinaryOp::NotEqual || (node.op != BinaryOp::Equal && less == right);
  const auto side = Write(step, left ? node.lhs : node.rhs);
  if (!side) return std::nullopt;
  const Value zero{writing_.Integer(0, span), false, CType::Int};
  const BinaryOp sign = holds ? BinaryOp::Less : BinaryOp::GreaterEqual;
  const auto wrapped = Combine(sign, *side, zero, span);
  if (!wrapped) return std::nullopt;
  return Combine(holds ? BinaryOp::Or : BinaryOp::And, *wrapped, plain, span);
}

std::optional<ValueWriter::Value> ValueWriter::Write(const Step& step, ExprId id) {
  const Expr expr = writing_.region.exprs[id];
  const Span span = expr.span;
  return Match(
      expr.node,
      [&](const Integer& n) -> std::optional<Value> {
        return Value{writing_.Integer(n.value, span), false, CType::Int};
      },
      [&](const Floating& n) -> std::optional<Value> {
        const bool single = RealTypeOf(expr.type) == CType::Float;
        return Value{writing_.Add({ast::FloatLiteral{n.value, single, n.imaginary}, span}), !single,
                     expr.type};
      },
      [&](const Use& n) { return WriteUse(step, n.variable, expr); },
      [&](const Element&) -> std::optional<Value> {
        const auto place = WritePlace(step, id);
        if (!place) return std::nullopt;
        return Value{*place, false, expr.type};
      },
      [&](const Unary& n) -> std::optional<Value> {
        const auto operand = Write(step, n.operand);
        if (!operand) return std::nullopt;
        const CType type = n.op == UnaryOp::Not ? CType::Bool : std::max(operand->type, CType::Int);
        return Value{writing_.Add({ast::Unary{n.op, operand->id}, span}), operand->flexible, type};
      },
      [&](const Binary& n) { return WriteNode(step, n, expr); },
      [&](const Conditional& n) -> std::optional<Value> {
        const auto condition = Write(step, n.condition);
        auto a = Write(step, n.then_value);
        auto b = Write(step, n.else_value);
        if (!condition || !a || !b) return std::nullopt;
        Meet(*a, *b);
        return Value{writing_.Add({ast::Conditional{condition->id, a->id, b->id}, span}),
                     AreFlexible({*a, *b}), std::max(a->type, b->type)};
      },
      [&](const Call& n) -> std::optional<Value> {
        ast::Call call{{n.function, span}, {}};
        std::vector<Value> arguments;
        for (const ExprId argument : n.arguments) {
          const auto value = Write(step, argument);
          if (!value) return std::nullopt;
          arguments.push_back(*value);
        }
        for (std::size_t k = 1; k < arguments.size(); ++k) Meet(arguments[0], arguments[k]);
        for (const Value& argument : arguments) call.arguments.push_back(argument.id);
        return Value{writing_.Add({std::move(call), span}), AreFlexible(arguments), expr.type};
      },
      [&](const Cast& n) -> std::optional<Value> {
        const auto operand = Write(step, n.operand);
        if (!operand) return std::nullopt;
        if (n.format != ElementFormat::Plain) {
          const Value whole = IsFloating(operand->type) ? Typed(*operand, CType::Int) : *operand;
          const bool wraps = !IsFloating(operand->type);
          return wraps ? Narrowed(whole, n.format, RangeOf(writing_.region, n.operand)) : whole;
        }
        if (!ScalarTypeOf(expr.type)) {
          writing_.sink.Report(span, kWideInteger).Hint("convert to `int` or `double`");
          return std::nullopt;
        }
        return Typed(*operand, expr.type);
      });
}

}  // namespace stencilgen::scop
