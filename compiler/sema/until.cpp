#include "sema/until.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sema/expr_builder.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "sema/stencil_info.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::LinearForm;

constexpr DiagnosticKind<std::string_view> kNotAScalar{
    "until-not-scalar", Severity::Error, "'{}' cannot end a loop: it is no scalar of the program"};
constexpr DiagnosticKind<std::string_view> kNotACondition{
    "until-not-condition", Severity::Error, "what follows 'until' is no condition, it is {}"};
constexpr DiagnosticKind<> kNotPositive{"every-not-positive", Severity::Error,
                                        "the number of turns after 'every' may be less than 1"};
constexpr DiagnosticKind<std::string_view> kOtherTurn{"turn-outside", Severity::Error,
                                                      "'{}' is the turn of another loop"};
constexpr DiagnosticKind<> kNeverChanges{"until-never-changes", Severity::Warning,
                                         "this condition is the same after every turn"};

class StopBuilder {
 public:
  StopBuilder(Context& context, const ast::Iterate& iterate, int call,
              const std::set<graph::ArrayId>& changed)
      : context_(context),
        iterate_(iterate),
        condition_(iterate.until->condition),
        span_(context.ast.exprs[condition_].span),
        call_(call),
        changed_(changed) {}

  std::optional<graph::Stop> Add(std::vector<graph::NodeId>& body) {
    CheckNames(condition_);
    const std::optional<LinearForm> every = Every();
    if (!good_) return std::nullopt;
    const std::optional<graph::ExprId> value = Condition();
    if (!value || !every) return std::nullopt;
    if (!changes_) {
      context_.sink.Report(span_, kNeverChanges)
          .Hint("it should read a scalar that the loop computes, as a residual");
    }
    graph::Operator op;
    op.stencil = "until";
    op.call = call_;
    op.span = span_;
    op.value = *value;
    op.group = context_.next_group++;
    op.result = context_.graph.versions.Add({NewScalar(), graph::DefKind::Operator, {}});
    const graph::VersionId result = op.result;
    const graph::NodeId node = context_.graph.nodes.Add(std::move(op));
    context_.graph.versions[result].node = node;
    body.push_back(node);
    return graph::Stop{result, *every};
  }

 private:
  graph::ArrayId NewScalar() {
    graph::Array scalar;
    scalar.name = context_.UniqueName("done");
    scalar.type = ScalarType::Bool;
    scalar.local = true;
    scalar.span = span_;
    return context_.AddArray(std::move(scalar));
  }

  std::optional<LinearForm> Every() {
    if (!iterate_.until->every) return LinearForm::Constant(1);
    const ast::ExprId id = *iterate_.until->every;
    auto every =
        ToLinear(context_, ProgramResolver(context_), id, "the number of turns after 'every'");
    if (every && !AlwaysNonNegative(*every - 1)) {
      context_.sink.Report(context_.ast.exprs[id].span, kNotPositive)
          .Hint("an integer from 1 on, or a parameter: those are at least 1");
      return std::nullopt;
    }
    return every;
  }

  std::optional<graph::ExprId> Condition() {
    ExprScope scope;
    scope.resolve = ProgramResolver(context_);
    ExprBuilder builder(context_, scope);
    const std::optional<Value> value = builder.Build(condition_);
    if (!value) return std::nullopt;
    const ScalarType type = context_.graph.exprs[value->id].type;
    if (type == ScalarType::Bool) return value->id;
    context_.sink.Report(span_, kNotACondition, type == ScalarType::Int ? "an int" : "a number")
        .Hint("compare it: `residual < 1e-6`");
    return std::nullopt;
  }

  void CheckNames(ast::ExprId id) {
    const ast::Expr& expr = context_.ast.exprs[id];
    Match(
        expr.node, [](const ast::IntLiteral&) {}, [](const ast::FloatLiteral&) {},
        [&](const ast::NameRef& n) { CheckName(n.name, expr.span); },
        [&](const ast::Access& n) {
          if (IsDeclared(n.name.text, n.name.span)) ReportNoScalar(n.name.text, expr.span);
        },
        [&](const ast::Unary& n) { CheckNames(n.operand); },
        [&](const ast::Binary& n) {
          CheckNames(n.lhs);
          CheckNames(n.rhs);
        },
        [&](const ast::Conditional& n) {
          CheckNames(n.condition);
          CheckNames(n.then_value);
          CheckNames(n.else_value);
        },
        [&](const ast::Call& n) { CheckCall(n); });
  }

  void CheckCall(const ast::Call& call) {
    if (!FindReduction(call.function.text, call.arguments.size())) {
      for (const ast::ExprId argument : call.arguments) CheckNames(argument);
      good_ = RequireFunction(context_, call) && good_;
      return;
    }
    good_ = false;
    context_.sink.Report(call.function.span, kNotAScalar, call.function.text)
        .Hint(fmt::format("assign it to a scalar in a stencil that the loop calls: "
                          "`residual = {}(...);`",
                          call.function.text));
  }

  void CheckName(const std::string& name, Span span) {
    if (!IsDeclared(name, span)) return;
    const Ref ref = ProgramResolver(context_)(name);
    if (ref.kind == RefKind::Parameter) {
      const graph::ParameterId id{ref.index};
      const graph::Parameter& parameter = context_.graph.parameters[id];
      if (parameter.turn && context_.turns.count(id) == 0) {
        good_ = false;
        context_.sink.Report(span, kOtherTurn, name).Note(parameter.span, "the loop");
        return;
      }
      changes_ = changes_ || (iterate_.turn && iterate_.turn->text == name);
      return;
    }
    if (ref.kind != RefKind::Array || context_.WrittenRank(graph::ArrayId{ref.index}) > 0) {
      return ReportNoScalar(name, span);
    }
    const graph::ArrayId array{ref.index};
    context_.arrays[array.index].used = true;
    changes_ = changes_ || changed_.count(array) > 0;
  }

  void ReportNoScalar(const std::string& name, Span span) {
    good_ = false;
    context_.sink.Report(span, kNotAScalar, name)
        .Hint(
            "assign what counts to a scalar in a stencil that the loop calls: "
            "`residual = norm2(...);`");
  }

  bool IsDeclared(const std::string& name, Span span) {
    if (context_.symbols.count(name) > 0) return true;
    good_ = false;
    std::vector<std::string> names;
    for (const auto& [each, symbol] : context_.symbols) names.push_back(each);
    std::sort(names.begin(), names.end());
    context_.sink.Report(span, kUndeclared, name).HintNearest(name, names);
    return false;
  }

  Context& context_;
  const ast::Iterate& iterate_;
  ast::ExprId condition_;
  Span span_;
  int call_;
  const std::set<graph::ArrayId>& changed_;
  bool good_ = true;
  bool changes_ = false;
};

}  // namespace

std::optional<graph::Stop> AddStop(Context& context, const ast::Iterate& iterate, int call,
                                   const std::set<graph::ArrayId>& changed,
                                   std::vector<graph::NodeId>& body) {
  return StopBuilder(context, iterate, call, changed).Add(body);
}

}  // namespace stencilgen::sema
