#include "scop/write_steps.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scop/domains.h"
#include "support/match.h"

namespace stencilgen::scop {
namespace {

constexpr DiagnosticKind<std::string> kLocalType{"c-type", Severity::Error,
                                                 "`{}` has a type that stencil programs have not"};

constexpr DiagnosticKind<std::string> kElementForAll{
    "c-element-for-all", Severity::Error,
    "`{}` has one value for all points, which elements of arrays cannot set"};

class StepWriter {
 public:
  explicit StepWriter(Writing& writing)
      : writing_(writing), model_(writing.model), region_(writing.region), order_(writing.order) {}

  std::optional<ast::Assignment> Write(const Step& step, const Frame& frame,
                                       ast::Stencil& stencil) {
    ValueWriter values(writing_, frame, stencil);
    ast::Assignment assignment;
    assignment.span = step.span;
    const bool local = model_.privates.count(step.target) > 0;
    std::optional<StepDomain> domain{StepDomain{}};
    if (!local) domain = WriteDomain(writing_, step, frame);
    if (!domain) return std::nullopt;
    assignment.domain = domain->ranges;
    const auto target = values.WriteTarget(step);
    if (!target) return std::nullopt;
    const CType type = region_.variables[step.target].type;
    assignment.target = *target;
    if (order_.placements[step.number].reduces) {
      return WriteReduction(step, frame, std::move(assignment), values, *domain, stencil);
    }
    const bool scalar = region_.variables[step.target].extents.empty();
    if (scalar && !local && ReadsElement(step)) {
      const std::string& name = region_.variables[step.target].text;
      writing_.sink.Report(step.span, kElementForAll, name)
          .Hint("name the element itself where the scalar is read: `w[t]*u[i]`");
      return std::nullopt;
    }
    auto value = values.Write(step, step.value);
    if (!value) return std::nullopt;
    ValueWriter::Value old{*target, false, type};
    if (step.update) {
      value = values.Combine(*step.update, old, *value, step.span);
    }
    value = values.BeforeConversion(*value, type);
    value = Narrowed(step, *value, values);
    const auto condition = WriteCondition(writing_, step, frame, values, *domain, local);
    if (condition) {
      value->id = writing_.Add(
          {ast::Conditional{*condition, value->id, *values.WriteTarget(step)}, step.span});
      if (!scalar && domain->box == Box::Around) {
        const Span written = region_.exprs[step.target_expr].span;
        writing_.out.choices.push_back({written, domain->strided});
      }
    }
    assignment.value = value->id;
    return assignment;
  }

 private:
  /// What elements of a narrow array keep of the value.
  ValueWriter::Value Narrowed(const Step& step, ValueWriter::Value value, ValueWriter& values) {
    const ElementFormat format = region_.variables[step.target].format;
    if (format == ElementFormat::Plain || TypeReadFrom(format) == CType::Float ||
        IsFloating(value.type)) {
      return value;
    }
    ValueRange range = RangeOf(region_, step.value);
    if (step.update) range = RangeOf(*step.update, HeldBy(format), range);
    return values.Narrowed(value, format, range);
  }

  bool ReadsElement(const Step& step) const {
    return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const Access& access) {
      return !region_.variables[access.variable].extents.empty();
    });
  }

  /// The value, such that it depends on all iterators of the frame: a reduction is over those.
  ast::ExprId NamingAll(ast::ExprId value, const std::optional<ast::DomainSpec>& domain,
                        const Frame& frame, const ast::Stencil& stencil, Span span) {
    std::vector<std::size_t> iterators = frame.iterators;
    std::sort(iterators.begin(), iterators.end());
    std::optional<ast::ExprId> inside;
    for (std::size_t c = 0; domain && c < iterators.size(); ++c) {
      const std::string& name = writing_.iterators[iterators[c]];
      std::set<std::string> seen;
      if (Names(value, name, stencil, seen)) continue;
      const ast::ExprId each = writing_.Add(
          {ast::Binary{BinaryOp::GreaterEqual, writing_.Name(name, span), domain->ranges[c].lo},
           span});
      inside = inside ? writing_.Add({ast::Binary{BinaryOp::And, *inside, each}, span}) : each;
    }
    return inside ? writing_.Add({ast::Conditional{*inside, value, value}, span}) : value;
  }

  /// True where an expression, or what sets the scalars of points in it, names the iterator.
  /// `seen`: scalars that do not.
  bool Names(ast::ExprId id, const std::string& name, const ast::Stencil& stencil,
             std::set<std::string>& seen) const {
    const auto in = [&](ast::ExprId part) { return Names(part, name, stencil, seen); };
    const auto sets = [&](const auto& item) {
      const auto* assignment = std::get_if<ast::Assignment>(&item);
      if (assignment == nullptr) return false;
      const auto& target = writing_.out.program.exprs[assignment->target].node;
      const auto* scalar = std::get_if<ast::NameRef>(&target);
      return scalar != nullptr && seen.count(scalar->name) > 0 && in(assignment->value);
    };
    return Match(
        writing_.out.program.exprs[id].node,
        [&](const ast::NameRef& n) {
          return n.name == name || (seen.insert(n.name).second &&
                                    std::any_of(stencil.items.begin(), stencil.items.end(), sets));
        },
        [&](const ast::Access& n) { return std::any_of(n.indices.begin(), n.indices.end(), in); },
        [&](const ast::Unary& n) { return in(n.operand); },
        [&](const ast::Binary& n) { return in(n.lhs) || in(n.rhs); },
        [&](const ast::Conditional& n) {
          return in(n.condition) || in(n.then_value) || in(n.else_value);
        },
        [&](const ast::Call& n) { return std::any_of(n.arguments.begin(), n.arguments.end(), in); },
        [](const auto&) { return false; });
  }

  /// Points where nothing is to be added have a value that changes nothing.
  std::optional<ast::Assignment> WriteReduction(const Step& step, const Frame& frame,
                                                ast::Assignment assignment, ValueWriter& values,
                                                const StepDomain& domain,
                                                const ast::Stencil& stencil) {
    const Span span = step.span;
    const std::string name = region_.variables[step.target].name;
    const auto value = values.Write(step, step.extremum ? step.extremum->operand : step.value);
    if (!value) return std::nullopt;
    const auto condition = WriteCondition(writing_, step, frame, values, domain, false);
    ast::ExprId each = value->id;
    if (condition) {
      const ast::ExprId neutral =
          step.extremum ? writing_.Name(name, span) : writing_.Integer(0, span);
      each = writing_.Add({ast::Conditional{*condition, each, neutral}, span});
    }
    const std::string function = !step.extremum ? "sum" : step.extremum->largest ? "max" : "min";
    const ast::ExprId all = NamingAll(each, assignment.domain, frame, stencil, span);
    const ast::ExprId reduced = writing_.Add({ast::Call{{function, span}, {all}}, span});
    const ast::ExprId old = writing_.Name(name, span);
    assignment.value = step.extremum
                           ? writing_.Add({ast::Call{{function, span}, {old, reduced}}, span})
                           : writing_.Add({ast::Binary{*step.update, old, reduced}, span});
    return assignment;
  }

  Writing& writing_;
  const Model& model_;
  const Region& region_;
  const Order& order_;
};

}  // namespace

void DeclareLocal(Writing& writing, const Step& step, ast::Stencil& stencil) {
  const Variable& variable = writing.region.variables[step.target];
  const auto type = ScalarTypeOf(variable.type);
  if (!type) {
    writing.sink.Report(step.span, kLocalType, variable.text);
    return;
  }
  std::optional<ast::ExprId> first;
  // A choice between the new value and the old one needs an old one.
  if (!writing.model.privates.at(step.target).set_everywhere) first = writing.Integer(0, step.span);
  ast::Declaration declaration{*type, {{{variable.name, step.span}, {}, first}}, step.span};
  declaration.complex = IsComplex(variable.type);
  stencil.items.emplace_back(std::move(declaration));
}

std::optional<ast::Assignment> WriteStep(Writing& writing, const Step& step, const Frame& frame,
                                         ast::Stencil& stencil) {
  return StepWriter(writing).Write(step, frame, stencil);
}

}  // namespace stencilgen::scop
