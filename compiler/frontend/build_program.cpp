#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "frontend/build_ast.h"

namespace stencilgen::frontend {
namespace {

using idsl_grammar::IdslParser;

constexpr DiagnosticKind<> kTurnName{"turn-name", Severity::Error,
                                     "the turn of a loop is a name of its own"};
constexpr DiagnosticKind<std::string_view> kUnknownBoundaryMode{
    "unknown-boundary-mode", Severity::Error, "'{}' is not a boundary mode"};
constexpr DiagnosticKind<std::string_view, std::string_view> kBoundaryValue{
    "boundary-value", Severity::Error, "the boundary mode '{}' {}"};
constexpr DiagnosticKind<std::string_view> kUnknownQualifier{"unknown-qualifier", Severity::Error,
                                                             "'{}' is not a qualifier of a formal"};

constexpr std::pair<std::string_view, ast::BoundaryKind> kModes[] = {
    {"none", ast::BoundaryKind::None},
    {"clamp", ast::BoundaryKind::Clamp},
    {"mirror", ast::BoundaryKind::Mirror},
    {"mirror101", ast::BoundaryKind::Mirror101},
    {"wrap", ast::BoundaryKind::Wrap},
    {"periodic", ast::BoundaryKind::Wrap},
    {"extrapolate", ast::BoundaryKind::Extrapolate},
    {"constant", ast::BoundaryKind::Constant},
};

class ProgramBuilder {
 public:
  ProgramBuilder(std::string_view text, DiagnosticSink& sink)
      : sink_(sink), exprs_(&program_, text, &sink) {}

  ast::Program Build(IdslParser::ProgramContext* tree) {
    for (IdslParser::ItemContext* item : tree->item()) {
      auto* stencil = dynamic_cast<IdslParser::StencilDefinitionContext*>(item);
      if (stencil != nullptr) {
        stencil_names_.insert(exprs_.NameOf(stencil->stencil()->name()).text);
      }
    }
    for (IdslParser::ItemContext* item : tree->item()) Item(item);
    return std::move(program_);
  }

 private:
  void Item(IdslParser::ItemContext* item) {
    if (auto* call = dynamic_cast<IdslParser::CallSectionContext*>(item)) {
      AddCallItem(call->callItem(), program_.calls);
    } else if (auto* stencil = dynamic_cast<IdslParser::StencilDefinitionContext*>(item)) {
      program_.stencils.push_back(Stencil(stencil->stencil()));
    } else if (auto* decl = dynamic_cast<IdslParser::DeclarationSectionContext*>(item)) {
      program_.declarations.push_back(Declaration(decl->declaration()));
    } else if (auto* list = dynamic_cast<IdslParser::ListSectionContext*>(item)) {
      program_.lists.push_back({KindOfList(list->kind->getType()), Names(list->name())});
    } else if (auto* parameters = dynamic_cast<IdslParser::ParameterSectionContext*>(item)) {
      for (IdslParser::ParameterContext* parameter : parameters->parameter()) {
        program_.parameters.push_back(
            {exprs_.NameOf(parameter->name()), Optional(parameter->expr())});
      }
    } else if (auto* iterators = dynamic_cast<IdslParser::IteratorSectionContext*>(item)) {
      for (ast::Name& name : Names(iterators->name())) {
        program_.iterators.push_back(std::move(name));
      }
    } else if (auto* boundaries = dynamic_cast<IdslParser::BoundarySectionContext*>(item)) {
      for (IdslParser::BoundaryContext* boundary : boundaries->boundary()) {
        program_.boundaries.push_back(Boundary(boundary));
      }
    } else if (auto* unroll = dynamic_cast<IdslParser::UnrollSectionContext*>(item)) {
      program_.unrolls.push_back(Unroll(unroll->unroll()));
    }
  }

  static ast::ListKind KindOfList(std::size_t token_type) {
    switch (token_type) {
      case IdslParser::KW_COPYIN:
        return ast::ListKind::CopyIn;
      case IdslParser::KW_COPYOUT:
        return ast::ListKind::CopyOut;
      case IdslParser::KW_ALLOCIN:
        return ast::ListKind::AllocIn;
      case IdslParser::KW_CONSTANT:
        return ast::ListKind::Constant;
      default:
        return ast::ListKind::Coefficient;
    }
  }

  static ScalarType TypeOf(std::size_t token_type) {
    switch (token_type) {
      case IdslParser::KW_BOOL:
        return ScalarType::Bool;
      case IdslParser::KW_INT:
        return ScalarType::Int;
      case IdslParser::KW_FLOAT:
        return ScalarType::Float;
      default:
        return ScalarType::Double;
    }
  }

  static AssignOp OperatorOf(std::size_t token_type) {
    switch (token_type) {
      case IdslParser::PLUS_ASSIGN:
        return AssignOp::Add;
      case IdslParser::MINUS_ASSIGN:
        return AssignOp::Sub;
      case IdslParser::STAR_ASSIGN:
        return AssignOp::Mul;
      case IdslParser::SLASH_ASSIGN:
        return AssignOp::Div;
      case IdslParser::AND_ASSIGN:
        return AssignOp::And;
      case IdslParser::OR_ASSIGN:
        return AssignOp::Or;
      default:
        return AssignOp::Assign;
    }
  }

  static ast::PlacementKind KindOfPlacement(std::size_t token_type) {
    switch (token_type) {
      case IdslParser::KW_SHMEM:
        return ast::PlacementKind::SharedMemory;
      case IdslParser::KW_GMEM:
        return ast::PlacementKind::GlobalMemory;
      default:
        return ast::PlacementKind::NoSharedMemory;
    }
  }

  std::vector<ast::Name> Names(const std::vector<IdslParser::NameContext*>& contexts) const {
    std::vector<ast::Name> names;
    names.reserve(contexts.size());
    for (IdslParser::NameContext* context : contexts) names.push_back(exprs_.NameOf(context));
    return names;
  }

  std::optional<ast::ExprId> Optional(IdslParser::ExprContext* context) {
    if (context == nullptr) return std::nullopt;
    return exprs_.Build(context);
  }

  ast::Declaration Declaration(IdslParser::DeclarationContext* context) {
    ast::Declaration declaration;
    declaration.complex = context->KW_COMPLEX() != nullptr;
    if (context->type != nullptr) {  // `complex` alone is of doubles
      const std::optional<ElementFormat> narrow = FindNarrowFormat(context->type->getText());
      declaration.format = narrow.value_or(ElementFormat::Plain);
      declaration.type = narrow ? ValueTypeOf(*narrow) : TypeOf(context->type->getType());
    }
    declaration.span = SpanOf(context);
    for (IdslParser::DeclaratorContext* declarator : context->declarator()) {
      declaration.declarators.push_back({exprs_.NameOf(declarator->name()),
                                         exprs_.Build(declarator->subscript()),
                                         Optional(declarator->expr())});
    }
    return declaration;
  }

  ast::BoundarySpec Boundary(IdslParser::BoundaryContext* context) {
    ast::BoundarySpec spec;
    spec.array = exprs_.NameOf(context->name());
    spec.per_dimension = context->LBRACKET() != nullptr;
    for (IdslParser::BoundaryModeContext* mode : context->boundaryMode()) {
      spec.modes.push_back(Mode(mode));
    }
    return spec;
  }

  ast::BoundaryMode Mode(IdslParser::BoundaryModeContext* context) {
    ast::BoundaryMode mode;
    mode.span = SpanOf(context);
    mode.value = Optional(context->expr());
    const std::string name = context->kind->getText();
    const auto* known = std::find_if(std::begin(kModes), std::end(kModes),
                                     [&](const auto& each) { return each.first == name; });
    if (known == std::end(kModes)) {
      std::vector<std::string> names;
      for (const auto& each : kModes) names.emplace_back(each.first);
      const std::string nearest = NearestName(name, names);
      sink_.Report(SpanOf(context->kind), kUnknownBoundaryMode, std::string_view(name))
          .Hint(nearest.empty()
                    ? "the modes are clamp, mirror, mirror101, wrap (or periodic), extrapolate, "
                      "constant(value) and none"
                    : fmt::format("did you mean '{}'?", nearest));
      return mode;
    }
    mode.kind = known->second;
    const bool wants_value = mode.kind == ast::BoundaryKind::Constant;
    if (wants_value != mode.value.has_value()) {
      sink_
          .Report(mode.span, kBoundaryValue, std::string_view(name),
                  wants_value ? "needs a value" : "takes no value")
          .Hint(wants_value ? "write constant(0.0)" : fmt::format("write just '{}'", name));
    }
    return mode;
  }

  ast::UnrollSpec Unroll(IdslParser::UnrollContext* context) {
    ast::UnrollSpec spec;
    for (IdslParser::UnrollFactorContext* factor : context->unrollFactor()) {
      spec.factors.push_back({exprs_.NameOf(factor->name()), exprs_.Build(factor->expr())});
    }
    return spec;
  }

  std::optional<ast::DomainSpec> Domain(IdslParser::DomainContext* context) {
    if (context == nullptr) return std::nullopt;
    ast::DomainSpec domain;
    domain.span = SpanOf(context);
    for (IdslParser::RangeContext* range : context->range()) {
      const std::vector<IdslParser::ExprContext*> bounds = range->expr();
      const ast::ExprId lo = exprs_.Build(bounds[0]);
      domain.ranges.push_back({lo, exprs_.Build(bounds[1])});
    }
    return domain;
  }

  ast::StencilCall Call(IdslParser::StatementContext* statement,
                        IdslParser::CallActionContext* action) {
    std::optional<ast::DomainSpec> domain = Domain(statement->domain());
    return {std::move(domain), exprs_.NameOf(statement->name()), exprs_.Build(action->arguments()),
            SpanOf(statement)};
  }

  ast::Assignment Assignment(IdslParser::StatementContext* statement,
                             IdslParser::AssignActionContext* action) {
    ast::Assignment assignment;
    assignment.domain = Domain(statement->domain());
    assignment.span = SpanOf(statement);
    const std::vector<IdslParser::SubscriptContext*> subscripts = action->subscript();
    Span target = SpanOf(statement->name());
    if (!subscripts.empty()) target = Cover(target, SpanOf(subscripts.back()));
    assignment.target =
        exprs_.Reference(exprs_.NameOf(statement->name()), exprs_.Build(subscripts), target);
    assignment.op = OperatorOf(action->op->getType());
    assignment.value = exprs_.Build(action->expr());
    return assignment;
  }

  ast::Stencil Stencil(IdslParser::StencilContext* context) {
    ast::Stencil stencil;
    stencil.name = exprs_.NameOf(context->name());
    stencil.span = SpanOf(context);
    for (IdslParser::FormalContext* formal : context->formal()) {
      stencil.formals.push_back({exprs_.NameOf(formal->name()), formal->qualifier != nullptr});
      if (formal->qualifier == nullptr || formal->qualifier->getText() == "inout") continue;
      const std::string qualifier = formal->qualifier->getText();
      sink_.Report(SpanOf(formal->qualifier), kUnknownQualifier, std::string_view(qualifier))
          .Hint("the only qualifier is 'inout'");
    }
    for (IdslParser::StencilItemContext* item : context->stencilItem())
      AddStencilItem(item, stencil);
    return stencil;
  }

  void AddStencilItem(IdslParser::StencilItemContext* item, ast::Stencil& stencil) {
    if (auto* statement = dynamic_cast<IdslParser::StencilStatementContext*>(item)) {
      IdslParser::StatementContext* context = statement->statement();
      IdslParser::ActionContext* action = context->action();
      if (auto* call = dynamic_cast<IdslParser::CallActionContext*>(action)) {
        stencil.items.emplace_back(Call(context, call));
      } else if (auto* assign = dynamic_cast<IdslParser::AssignActionContext*>(action)) {
        stencil.items.emplace_back(Assignment(context, assign));
      }
    } else if (auto* decl = dynamic_cast<IdslParser::LocalDeclarationContext*>(item)) {
      stencil.items.emplace_back(Declaration(decl->declaration()));
    } else if (auto* placement = dynamic_cast<IdslParser::PlacementContext*>(item)) {
      stencil.items.emplace_back(
          ast::Placement{KindOfPlacement(placement->kind->getType()), Names(placement->name())});
    } else if (auto* unroll = dynamic_cast<IdslParser::StencilUnrollContext*>(item)) {
      stencil.items.emplace_back(Unroll(unroll->unroll()));
    }
  }

  /// What stands before the colon of a loop; empty (and reported) where it is no name.
  std::optional<ast::Name> TurnOf(IdslParser::ExprContext* context) {
    const ast::Expr& expr = program_.exprs[exprs_.Build(context)];
    if (const auto* name = std::get_if<ast::NameRef>(&expr.node)) {
      return ast::Name{name->name, expr.span};
    }
    sink_.Report(expr.span, kTurnName)
        .Hint("a loop that names its turn: `iterate t : 100 { ... }`");
    return std::nullopt;
  }

  ast::Until Until(IdslParser::UntilContext* context) {
    ast::Until until{exprs_.Build(context->expr(0))};
    if (context->expr().size() > 1) until.every = exprs_.Build(context->expr(1));
    return until;
  }

  /// The call of a stencil that has the assignment alone: `set_u`, or `set_u_2` and so on where the
  /// program has the name.
  ast::StencilCall CallOf(ast::Assignment assignment) {
    const ast::Expr& target = program_.exprs[assignment.target];
    const auto* access = std::get_if<ast::Access>(&target.node);
    const std::string base =
        "set_" + (access != nullptr ? access->name.text : std::get<ast::NameRef>(target.node).name);
    ast::Stencil stencil;
    stencil.name = {base, target.span};
    for (int n = 2; !stencil_names_.insert(stencil.name.text).second; ++n) {
      stencil.name.text = fmt::format("{}_{}", base, n);
    }
    stencil.span = assignment.span;
    ast::StencilCall call{{}, stencil.name, {}, assignment.span};
    stencil.items.emplace_back(std::move(assignment));
    program_.stencils.push_back(std::move(stencil));
    return call;
  }

  void AddCallItem(IdslParser::CallItemContext* item, std::vector<ast::CallItem>& calls) {
    if (auto* statement = dynamic_cast<IdslParser::CallStatementContext*>(item)) {
      IdslParser::StatementContext* context = statement->statement();
      if (auto* call = dynamic_cast<IdslParser::CallActionContext*>(context->action())) {
        calls.emplace_back(Call(context, call));
      } else if (auto* assign = dynamic_cast<IdslParser::AssignActionContext*>(context->action())) {
        calls.emplace_back(CallOf(Assignment(context, assign)));
      }
    } else if (auto* swap = dynamic_cast<IdslParser::SwapContext*>(item)) {
      std::vector<ast::Name> names = Names(swap->name());
      calls.emplace_back(ast::Swap{std::move(names[0]), std::move(names[1]), SpanOf(swap)});
    } else if (auto* every = dynamic_cast<IdslParser::EveryContext*>(item)) {
      ast::Every part;
      part.turns = every->INTEGER() != nullptr
                       ? exprs_.Integer(every->INTEGER()->getSymbol())
                       : exprs_.Reference(exprs_.NameOf(every->name()), {}, SpanOf(every->name()));
      part.span = SpanOf(every);
      for (IdslParser::CallItemContext* inner : every->callItem()) AddCallItem(inner, part.body);
      calls.emplace_back(std::move(part));
    } else if (auto* iterate = dynamic_cast<IdslParser::IterateContext*>(item)) {
      ast::Iterate loop;
      loop.count = exprs_.Build(iterate->expr().back());
      loop.span = SpanOf(iterate);
      if (iterate->expr().size() > 1) loop.turn = TurnOf(iterate->expr().front());
      if (iterate->until() != nullptr) loop.until = Until(iterate->until());
      for (IdslParser::CallItemContext* inner : iterate->callItem()) AddCallItem(inner, loop.body);
      calls.emplace_back(std::move(loop));
    }
  }

  DiagnosticSink& sink_;
  std::set<std::string> stencil_names_;
  ast::Program program_;
  ExprBuilder exprs_;
};

}  // namespace

ast::Program BuildProgram(IdslParser::ProgramContext* tree, std::string_view text,
                          DiagnosticSink& sink) {
  return ProgramBuilder(text, sink).Build(tree);
}

}  // namespace stencilgen::frontend
