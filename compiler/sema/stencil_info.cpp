#include "sema/stencil_info.h"

#include <algorithm>
#include <map>
#include <set>

#include "sema/declarations.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "support/count_text.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kUnknownFunction{"unknown-function", Severity::Error,
                                                            "there is no function '{}'"};
constexpr DiagnosticKind<std::string_view> kAssignIterator{"assign-to-iterator", Severity::Error,
                                                           "iterator '{}' cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kAssignParameter{"assign-to-parameter", Severity::Error,
                                                            "parameter '{}' cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kAssignTurn{
    "assign-to-turn", Severity::Error, "'{}' is the turn of a loop, it cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kShadowsIterator{
    "shadowed-iterator", Severity::Error, "'{}' is an iterator, it cannot be declared again"};
constexpr DiagnosticKind<std::string_view> kRecursion{"recursion", Severity::Error,
                                                      "stencil '{}' calls itself"};
constexpr DiagnosticKind<std::string_view> kCallInStencil{
    "call-in-stencil", Severity::Error, "a stencil cannot call another stencil ('{}')"};

class StencilChecker {
 public:
  StencilChecker(Context& context, const ast::Stencil& stencil) : context_(context) {
    info_.ast = &stencil;
  }

  StencilInfo Run() {
    const std::size_t errors = context_.sink.ErrorCount();
    DeclareFormals();
    for (const ast::StencilItem& item : info_.ast->items) {
      if (const auto* declaration = std::get_if<ast::Declaration>(&item)) Declare(*declaration);
    }
    for (const ast::StencilItem& item : info_.ast->items) Check(item);
    info_.bindings.resize(info_.ast->formals.size());
    info_.ok = context_.sink.ErrorCount() == errors;
    return std::move(info_);
  }

 private:
  void DeclareFormals() {
    for (const ast::Formal& formal : info_.ast->formals) {
      const int index = static_cast<int>(info_.formals.size());
      if (IsIterator(formal.name)) continue;
      if (!info_.formals.try_emplace(formal.name.text, index).second) {
        context_.sink.Report(formal.name.span, kRedeclared, formal.name.text);
      }
    }
    info_.formal_written.assign(info_.ast->formals.size(), false);
  }

  bool IsIterator(const ast::Name& name) {
    const auto found = context_.symbols.find(name.text);
    const bool yes = found != context_.symbols.end() && found->second.kind == SymbolKind::Iterator;
    if (yes) context_.sink.Report(name.span, kShadowsIterator, name.text);
    return yes;
  }

  void Declare(const ast::Declaration& declaration) {
    for (const ast::Declarator& declarator : declaration.declarators) {
      const ast::Name& name = declarator.name;
      if (IsIterator(name)) continue;
      if (info_.formals.count(name.text) > 0) {
        context_.sink.Report(name.span, kRedeclared, name.text)
            .Hint("it is a formal of the stencil");
        continue;
      }
      const int index = static_cast<int>(info_.locals.size());
      const auto [place, fresh] = info_.locals_by_name.try_emplace(name.text, index);
      if (!fresh) {
        const auto& first = info_.locals[static_cast<std::size_t>(place->second)];
        context_.sink.Report(name.span, kRedeclared, name.text)
            .Note(first.declarator->name.span, "declared here first");
        continue;
      }
      if (declarator.init && !declarator.extents.empty()) {
        context_.sink.Report(context_.ast.exprs[*declarator.init].span, kInitializer, name.text)
            .Hint("only scalars can be initialised; assign the array in a statement");
      }
      const ElementType type = context_.TypeOf(declaration, name.text);
      RequireArray(context_, type, declarator);
      info_.locals.push_back({&declarator, type.type, type.format, declaration.inferred});
    }
  }

  void Check(const ast::StencilItem& item) {
    Match(
        item,
        [&](const ast::Declaration& declaration) {
          for (const ast::Declarator& d : declaration.declarators) {
            for (const ast::ExprId extent : d.extents) CheckNames(extent);
            if (!d.init || !d.extents.empty()) continue;
            CheckNames(*d.init);
            info_.statements.push_back({nullptr,
                                        d.name,
                                        {},
                                        AssignOp::Assign,
                                        *d.init,
                                        Cover(d.name.span, context_.ast.exprs[*d.init].span)});
          }
        },
        [&](const ast::Placement& placement) {
          for (const ast::Name& name : placement.names) CheckDeclared(name.text, name.span);
        },
        [&](const ast::UnrollSpec& unroll) { ApplyUnroll(context_, unroll); },
        [&](const ast::Assignment& assignment) { Check(assignment); },
        [](const ast::StencilCall&) {});  // see CheckCallsInStencils
  }

  void Check(const ast::Assignment& assignment) {
    const ast::Expr& target = context_.ast.exprs[assignment.target];
    BodyStatement statement;
    if (const auto* access = std::get_if<ast::Access>(&target.node)) {
      statement.target = access->name;
      statement.indices = access->indices;
    } else if (const auto* name = std::get_if<ast::NameRef>(&target.node)) {
      statement.target = {name->name, target.span};
    } else {
      return;
    }
    statement.domain = assignment.domain ? &*assignment.domain : nullptr;
    statement.op = assignment.op;
    statement.value = assignment.value;
    statement.span = assignment.span;
    statement.with_next = assignment.with_next;
    if (statement.domain != nullptr) {
      for (const ast::Range& range : statement.domain->ranges) {
        CheckNames(range.lo);
        CheckNames(range.hi);
      }
    }
    CheckTarget(statement.target);
    for (const ast::ExprId index : statement.indices) CheckNames(index);
    CheckNames(statement.value);
    info_.statements.push_back(std::move(statement));
  }

  void CheckTarget(const ast::Name& target) {
    const auto formal = info_.formals.find(target.text);
    if (formal != info_.formals.end()) {
      info_.formal_written[static_cast<std::size_t>(formal->second)] = true;
      return;
    }
    if (info_.locals_by_name.count(target.text) > 0) return;
    const auto found = context_.symbols.find(target.text);
    if (found == context_.symbols.end()) {
      ReportUndeclared(target.text, target.span);
    } else if (found->second.kind == SymbolKind::Iterator) {
      context_.sink.Report(target.span, kAssignIterator, target.text);
    } else if (found->second.kind == SymbolKind::Parameter &&
               context_.graph.parameters[{found->second.index}].turn) {
      context_.sink.Report(target.span, kAssignTurn, target.text)
          .Note(found->second.span, "the loop");
    } else if (found->second.kind == SymbolKind::Parameter) {
      context_.sink.Report(target.span, kAssignParameter, target.text)
          .Hint("declare a scalar for a value that changes");
    } else if (globals_seen_.insert(target.text).second) {
      info_.globals_written.push_back(target.text);
    }
  }

  void CheckNames(ast::ExprId id) {
    const ast::Expr& expr = context_.ast.exprs[id];
    Match(
        expr.node, [](const ast::IntLiteral&) {}, [](const ast::FloatLiteral&) {},
        [&](const ast::NameRef& n) { CheckDeclared(n.name, expr.span); },
        [&](const ast::Access& n) {
          CheckDeclared(n.name.text, n.name.span);
          for (const ast::ExprId index : n.indices) CheckNames(index);
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
        [&](const ast::Call& n) { CheckFunction(n); });
  }

  void CheckFunction(const ast::Call& call) {
    for (const ast::ExprId argument : call.arguments) CheckNames(argument);
    if (FindReduction(call.function.text, call.arguments.size())) {
      if (call.arguments.size() == 1) return;
      context_.sink.Report(call.function.span, kArity, call.function.text, CountText(1, "argument"),
                           call.arguments.size());
      return;
    }
    if (!FindFunction(call.function.text) && IsDeclared(call.function.text)) {
      context_.sink.Report(call.function.span, kUnknownFunction, call.function.text)
          .Hint(fmt::format("it is the name of a value: `{0}*(...)` is a product, `{0}[...]` an "
                            "element",
                            call.function.text));
      return;
    }
    RequireFunction(context_, call);
  }

  bool IsDeclared(const std::string& name) const {
    return info_.formals.count(name) > 0 || info_.locals_by_name.count(name) > 0 ||
           context_.symbols.count(name) > 0;
  }

  void CheckDeclared(const std::string& name, Span span) {
    if (!IsDeclared(name)) ReportUndeclared(name, span);
  }

  void ReportUndeclared(const std::string& name, Span span) {
    auto report = context_.sink.Report(span, kUndeclared, name);
    constexpr std::size_t kErrorsWithHints = 100;  // a broken file may have very many
    if (context_.sink.ErrorCount() > kErrorsWithHints) return;
    std::vector<std::string> names;
    for (const Local& local : info_.locals) names.push_back(local.declarator->name.text);
    for (const ast::Formal& formal : info_.ast->formals) names.push_back(formal.name.text);
    for (const auto& [text, symbol] :
         std::map<std::string, Symbol>(context_.symbols.begin(), context_.symbols.end())) {
      names.push_back(text);
    }
    if (report.HintNearest(name, names)) return;
    for (const Local& local : info_.locals) {  // an abbreviation: `temp` for `t`
      const std::string& text = local.declarator->name.text;
      if (name.rfind(text, 0) == 0 || text.rfind(name, 0) == 0) {
        report.Hint(
            fmt::format("a local {} `{}` is declared", local.IsArray() ? "array" : "scalar", text));
        return;
      }
    }
  }

  Context& context_;
  StencilInfo info_;
  std::set<std::string> globals_seen_;
};

/// The stencils reachable from each, found by depth-first search over the calls in the bodies.
class CallGraph {
 public:
  explicit CallGraph(const ast::Program& program) {
    for (std::size_t i = 0; i < program.stencils.size(); ++i) {
      index_.try_emplace(program.stencils[i].name.text, i);
    }
    callees_.resize(program.stencils.size());
    for (std::size_t i = 0; i < program.stencils.size(); ++i) {
      for (const ast::StencilItem& item : program.stencils[i].items) {
        const auto* call = std::get_if<ast::StencilCall>(&item);
        if (call == nullptr) continue;
        const auto callee = index_.find(call->stencil.text);
        if (callee != index_.end()) callees_[i].push_back(callee->second);
      }
    }
  }

  bool Reaches(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(callees_.size(), false);
    std::vector<std::size_t> work{from};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      if (at == to) return true;
      if (seen[at]) continue;
      seen[at] = true;
      work.insert(work.end(), callees_[at].begin(), callees_[at].end());
    }
    return false;
  }

  std::optional<std::size_t> Find(const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::vector<std::size_t>> callees_;
};

}  // namespace

StencilInfo CheckStencil(Context& context, const ast::Stencil& stencil) {
  return StencilChecker(context, stencil).Run();
}

bool RequireFunction(Context& context, const ast::Call& call) {
  const auto function = FindFunction(call.function.text);
  if (!function) {
    std::vector<std::string> names;
    for (const FunctionInfo& info : AllFunctions()) names.emplace_back(info.name);
    names.insert(names.end(), {"sum", "norm2", "any", "all"});
    context.sink.Report(call.function.span, kUnknownFunction, call.function.text)
        .HintNearest(call.function.text, names);
    return false;
  }
  const int arity = Info(*function).arity;
  if (static_cast<std::size_t>(arity) == call.arguments.size()) return true;
  context.sink.Report(call.function.span, kArity, call.function.text, CountText(arity, "argument"),
                      call.arguments.size());
  return false;
}

void CheckCallsInStencils(Context& context) {
  const CallGraph calls(context.ast);
  for (std::size_t i = 0; i < context.ast.stencils.size(); ++i) {
    for (const ast::StencilItem& item : context.ast.stencils[i].items) {
      const auto* call = std::get_if<ast::StencilCall>(&item);
      if (call == nullptr) continue;
      const auto callee = calls.Find(call->stencil.text);
      if (!callee) {
        context.sink.Report(call->stencil.span, kUndefinedStencil, call->stencil.text);
      } else if (calls.Reaches(*callee, i)) {
        context.sink.Report(call->stencil.span, kRecursion, context.ast.stencils[i].name.text);
      } else {
        context.sink.Report(call->stencil.span, kCallInStencil, call->stencil.text)
            .Hint("call the stencils one after the other at program level");
      }
    }
  }
}

}  // namespace stencilgen::sema
