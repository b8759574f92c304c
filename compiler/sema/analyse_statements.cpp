#include "sema/analyse_statements.h"

#include <algorithm>
#include <functional>
#include <set>

#include "graph/element_format.h"
#include "sema/expr_builder.h"
#include "sema/messages.h"
#include "sema/reductions.h"
#include "sema/statement_bounds.h"
#include "sema/statement_target.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view> kUniform{"uniform-reduction", Severity::Error,
                                                    "this '{}' is of one value alone"};

/// What a value depends on, through the definitions it reads too.
struct Dependence {
  unsigned varies = 0;  ///< bit d: iterator d
  bool reads_arrays = false;
};

bool ReadsDefinition(const graph::Graph& graph, graph::ExprId id, int definition) {
  const auto reads = [&](graph::ExprId part) { return ReadsDefinition(graph, part, definition); };
  return Match(
      graph.exprs[id].node, [&](const graph::LetRef& n) { return n.let == definition; },
      [&](const graph::Unary& n) { return reads(n.operand); },
      [&](const graph::Convert& n) { return reads(n.operand); },
      [&](const graph::Binary& n) { return reads(n.rhs) || reads(n.lhs); },
      [&](const graph::Conditional& n) {
        return reads(n.condition) || reads(n.then_value) || reads(n.else_value);
      },
      [&](const graph::Call& n) {
        return std::any_of(n.arguments.begin(), n.arguments.end(), reads);
      },
      [&](const graph::Access& n) {
        return std::any_of(n.indices.begin(), n.indices.end(), [&](const graph::Index& index) {
          return index.place.Valid() && reads(index.place);
        });
      },
      [](const auto&) { return false; });
}

bool ReadsVersion(const graph::Graph& graph, graph::ExprId id, graph::VersionId version) {
  std::vector<graph::ExprId> accesses;
  graph::CollectAccesses(graph, id, accesses);
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId access) {
    return std::get<graph::Access>(graph.exprs[access].node).version == version;
  });
}

class StatementAnalyser {
 public:
  StatementAnalyser(Context& context, const StencilInfo& info, const Resolver& resolve,
                    const std::optional<ResolvedDomain>& call_domain)
      : context_(context),
        info_(info),
        call_domain_(call_domain),
        current_(info.locals.size(), -1) {
    scope_.resolve = resolve;
    scope_.current_definition = [this](std::uint32_t scalar) { return current_[scalar]; };
    scope_.definition_type = [this](int definition) { return At(definition).type; };
  }

  AnalysedCall Run() {
    result_.statements.reserve(info_.statements.size());
    for (const BodyStatement& source : info_.statements) {
      Analyse(source);
      if (source.with_next || !show_first_) continue;
      show_first_();
      show_first_ = nullptr;
    }
    return std::move(result_);
  }

 private:
  void Analyse(const BodyStatement& source) {
    Statement s;
    s.source = &source;
    if (!ResolveTarget(context_, scope_.resolve, s)) return;
    scope_.shift = s.shift;
    scope_.reduce = nullptr;
    if (s.kind == TargetKind::ProgramScalar) {
      scope_.reduce = [&](const ast::Call& call, Span span) { return Reduce(call, span, s); };
    }
    ExprBuilder builder(context_, scope_);
    if (!BuildValue(builder, s)) return Recover(s);
    if (s.result.Valid()) return;  // a reduction defines it
    const Dependence dependence = DependenceOf(builder);
    if (!CheckTargetCovers(context_, s, dependence.varies, dependence.reads_arrays)) {
      return Recover(s);
    }
    SetBounds(context_, scope_.resolve, call_domain_, s);
    const bool after_first =
        !result_.statements.empty() && result_.statements.back().source->with_next;
    if (after_first) JoinFirst(s);
    Define(s, dependence);
    result_.statements.push_back(std::move(s));
  }

  /// The second of a pair: either of them may read what the other assigns.
  void JoinFirst(Statement& s) {
    Statement& first = result_.statements.back();
    s.with_previous = true;
    first.update = s.update =
        first.update || s.update || ReadsTarget(s, first.value) || ReadsTarget(first, s.value);
  }

  /// Sets the value and what depends on it alone. False where an error was reported.
  bool BuildValue(ExprBuilder& builder, Statement& s) {
    const BodyStatement& source = *s.source;
    std::optional<Value> value = builder.Build(source.value);
    s.update = source.op != AssignOp::Assign || (value && ReadsTarget(s, value->id));
    if (value && source.op != AssignOp::Assign) {
      const auto old = OldValue(builder, s);
      value = old ? builder.Combine(UpdateOperator(source.op), *old, *value, source.span)
                  : std::nullopt;
    }
    if (!value) return false;
    const bool inferred = s.kind == TargetKind::LocalScalar && info_.locals[s.scalar].inferred;
    s.value =
        builder.ConvertTo(*value, inferred ? context_.graph.exprs[value->id].type : TargetType(s));
    if (s.kind != TargetKind::LocalScalar) {
      s.value = graph::FitTo(context_.graph, s.value, context_.graph.arrays[s.array].format);
    }
    s.definitions_read = builder.definitions_read();
    graph::CollectAccesses(context_.graph, s.value, s.accesses);
    return true;
  }

  /// Adds the reduction as a statement of its own before `s`, which reads its result; where it is
  /// all that `s` assigns, in the scalar's type, it defines the scalar itself.
  std::optional<Value> Reduce(const ast::Call& call, Span span, Statement& s) {
    Statement r;
    r.source = s.source;
    r.kind = TargetKind::Reduction;
    r.reduction = *FindReduction(call.function.text, call.arguments.size());
    ExprScope inner = scope_;
    inner.reduce = nullptr;
    ExprBuilder builder(context_, inner);
    const auto value = builder.Build(call.arguments.front());
    if (!value) return std::nullopt;
    const Dependence dependence = DependenceOf(builder);
    for (int d = 0; d < context_.IteratorCount(); ++d) {
      if ((dependence.varies >> static_cast<unsigned>(d) & 1U) != 0) r.iterators.push_back(d);
    }
    if (r.iterators.empty()) {
      const std::string element = ElementHint(context_, s.source->target.text, value->id);
      context_.sink.Report(span, kUniform, call.function.text)
          .Hint(element.empty() ? "its argument names no iterator: it is the same at every point"
                                : element);
      return std::nullopt;
    }
    const ScalarType type = TypeOfReduction(r.reduction, builder, *value, s);
    r.value = builder.ConvertTo(*value, type);
    r.definitions_read = builder.definitions_read();
    graph::CollectAccesses(context_.graph, r.value, r.accesses);
    SetBounds(context_, scope_.resolve, call_domain_, r);
    const auto* whole = std::get_if<ast::Call>(&context_.ast.exprs[s.source->value].node);
    if (whole == &call && s.source->op == AssignOp::Assign && !r.reduction.norm &&
        type == TargetType(s)) {
      Define(s, {});
      r.array = s.array;
      r.result = s.result;
    } else {
      r.array = AddResult(call.function.text, type, s);
      r.result = context_.graph.versions.Add({r.array, graph::DefKind::Operator, {}});
    }
    result_.statements.push_back(r);
    const graph::ExprId read =
        context_.AddExpr({graph::Access{r.result, {graph::Index{}}, {}}, type, span});
    if (!r.reduction.norm) return Value{read};
    return Value{context_.AddExpr({graph::Call{Function::Sqrt, {read}}, type, span})};
  }

  /// The common type of the values and of the scalar that takes the result.
  ScalarType TypeOfReduction(const ReductionName& reduction, const ExprBuilder& builder,
                             Value value, const Statement& s) const {
    using graph::ReduceOp;
    if (reduction.op == ReduceOp::Any || reduction.op == ReduceOp::All) return ScalarType::Bool;
    const ScalarType type = builder.CommonType(value, TargetType(s));
    return reduction.norm && type == ScalarType::Int ? ScalarType::Double : type;
  }

  /// What holds the result of a reduction in a larger expression.
  graph::ArrayId AddResult(const std::string& function, ScalarType type, const Statement& s) {
    graph::Array array;
    array.name = context_.UniqueName(
        fmt::format("{}_{}", context_.arrays[s.array.index].source_name, function));
    array.type = type;
    array.extents = {graph::LinearForm::Constant(1)};
    array.local = true;
    array.span = s.source->span;
    const std::string name = array.name;
    const graph::ArrayId id = context_.AddArray(std::move(array));
    context_.arrays[id.index].source_name = name;
    return id;
  }

  bool ReadsTarget(const Statement& s, graph::ExprId value) const {
    if (s.kind != TargetKind::LocalScalar) {
      return ReadsVersion(context_.graph, value, context_.current[s.array.index]);
    }
    const int definition = current_[s.scalar];
    return definition >= 0 && ReadsDefinition(context_.graph, value, definition);
  }

  static std::optional<Value> OldValue(ExprBuilder& builder, const Statement& s) {
    const ast::Name& target = s.source->target;
    if (s.kind == TargetKind::LocalScalar) {
      return builder.BuildName(ast::NameRef{target.text}, target.span);
    }
    return builder.Read(s.array, s.target, target.span);
  }

  ScalarType TargetType(const Statement& s) const {
    return s.kind == TargetKind::LocalScalar ? info_.locals[s.scalar].type
                                             : context_.graph.arrays[s.array].type;
  }

  Dependence DependenceOf(const ExprBuilder& builder) const {
    Dependence dependence{builder.varies(), builder.reads_arrays()};
    for (const int definition : builder.definitions_read()) {
      dependence.varies |= At(definition).varies;
      dependence.reads_arrays = dependence.reads_arrays || At(definition).reads_arrays;
    }
    return dependence;
  }

  /// Makes the statement's result what later reads see.
  void Define(Statement& s, Dependence dependence) {
    if (s.kind == TargetKind::LocalScalar) return DefineScalar(s, dependence);
    s.background = context_.current[s.array.index];
    s.result = context_.graph.versions.Add({s.array, graph::DefKind::Operator, {}});
    Show(context_.current, s.array.index, s.result, s);
    context_.arrays[s.array.index].used = true;
    context_.arrays[s.array.index].written = true;
  }

  void DefineScalar(Statement& s, Dependence dependence) {
    s.definition = static_cast<int>(result_.definitions.size());
    Definition definition;
    definition.scalar = s.scalar;
    definition.name = UniqueLocalName(s.source->target.text);
    definition.type = context_.graph.exprs[s.value].type;
    definition.value = s.value;
    definition.varies = dependence.varies;
    definition.reads_arrays = dependence.reads_arrays;
    definition.background = current_[s.scalar];
    definition.reads = s.definitions_read;
    definition.span = s.source->span;
    result_.definitions.push_back(std::move(definition));
    Show(current_, s.scalar, s.definition, s);
  }

  /// What reads see from now on; of a pair's first, when the second has been analysed too.
  template <typename Defined>
  void Show(std::vector<Defined>& seen, std::uint32_t index, Defined defined, const Statement& s) {
    if (s.source->with_next) {
      show_first_ = [&seen, index, defined] { seen[index] = defined; };
    } else {
      seen[index] = defined;
    }
  }

  /// After an error: the target counts as written, so that its reads do not draw more errors.
  void Recover(Statement& s) {
    if (s.kind == TargetKind::LocalScalar) {
      s.value = context_.AddExpr({graph::Literal{}, info_.locals[s.scalar].type, {}});
    }
    Define(s, {});
  }

  std::string UniqueLocalName(const std::string& base) {
    std::string name = base;
    for (int i = 2; context_.taken.count(name) > 0 || !local_names_.insert(name).second; ++i) {
      name = fmt::format("{}_{}", base, i);
    }
    return name;
  }

  const Definition& At(int definition) const {
    return result_.definitions[static_cast<std::size_t>(definition)];
  }

  Context& context_;
  const StencilInfo& info_;
  const std::optional<ResolvedDomain>& call_domain_;
  ExprScope scope_;
  std::vector<int> current_;  ///< by local: the definition a read sees, -1 before the first
  std::set<std::string> local_names_;
  std::function<void()> show_first_;  ///< between the two of a pair
  AnalysedCall result_;
};

}  // namespace

AnalysedCall AnalyseStatements(Context& context, const StencilInfo& info, const Resolver& resolve,
                               const std::optional<ResolvedDomain>& call_domain) {
  return StatementAnalyser(context, info, resolve, call_domain).Run();
}

}  // namespace stencilgen::sema
