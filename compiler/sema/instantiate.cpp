#include "sema/instantiate.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "sema/call_domain.h"
#include "sema/declarations.h"
#include "sema/emit_operators.h"
#include "sema/expr_builder.h"
#include "support/match.h"

namespace stencilgen::sema {
namespace {

using graph::ArrayId;
using graph::Index;

constexpr DiagnosticKind<std::string_view, std::size_t, std::size_t> kArgumentCount{
    "wrong-argument-count", Severity::Error, "stencil '{}' takes {} argument(s), {} given"};
constexpr DiagnosticKind<std::string_view> kUndeclared{"undeclared-name", Severity::Error,
                                                       "'{}' is not declared"};
constexpr DiagnosticKind<> kBadArgument{
    "bad-argument", Severity::Error, "an argument is the name of an array or scalar, or a number"};
constexpr DiagnosticKind<std::string_view, std::string_view, std::string_view> kTypeClash{
    "type-clash", Severity::Error, "formal '{}' is bound to a {} here but to a {} in another call"};
constexpr DiagnosticKind<std::string_view> kAssignNumber{
    "assign-to-value", Severity::Error,
    "'{}' stands for a value in this call, it cannot be assigned"};
constexpr DiagnosticKind<std::string_view> kAssignConstant{
    "assign-to-constant", Severity::Error, "'{}' is read-only, it cannot be assigned"};
constexpr DiagnosticKind<std::string_view, std::string_view> kMissingIterator{
    "missing-iterator", Severity::Error,
    "'{}' is not indexed by '{}', along which the right side varies"};
constexpr DiagnosticKind<std::string_view> kScalarFromArray{
    "scalar-from-array", Severity::Error,
    "program-level scalar '{}' can only be assigned from scalars"};
constexpr DiagnosticKind<std::string_view, std::size_t, std::size_t> kWrongRank{
    "wrong-rank", Severity::Error, "array '{}' has {} dimension(s), {} index(es) given"};
constexpr DiagnosticKind<std::string_view> kNotIndexed{"wrong-rank", Severity::Error,
                                                       "'{}' is not an array, it takes no index"};
constexpr DiagnosticKind<std::string_view, std::size_t> kNeedsIndex{
    "missing-index", Severity::Error, "array '{}' needs {} index(es) here"};
constexpr DiagnosticKind<std::string_view, std::int64_t> kIndexOutside{
    "index-outside", Severity::Error, "this index lies outside dimension {1} of '{0}'"};

std::string Describe(ScalarType type, std::size_t rank) {
  return rank == 0 ? fmt::format("{} scalar", ToString(type))
                   : fmt::format("{}-dimensional {} array", rank, ToString(type));
}

class Instance {
 public:
  Instance(Context& context, StencilInfo& info, const ast::StencilCall& call, int call_index)
      : context_(context), info_(info), call_(call), call_index_(call_index) {
    scope_.resolve = [this](const std::string& name) { return Resolve(name); };
    scope_.current_definition = [this](std::uint32_t scalar) { return current_[scalar]; };
    scope_.definition_type = [this](int d) {
      return definitions_[static_cast<std::size_t>(d)].type;
    };
  }

  void Run(std::vector<graph::NodeId>& nodes) {
    const std::size_t errors = context_.sink.ErrorCount();
    if (!BindActuals()) return;
    DeclareLocals();
    ApplyPlacements();
    if (call_.domain) {
      call_domain_ = ResolveDomain(context_, ProgramResolver(context_), *call_.domain);
      if (!call_domain_) return;
    }
    statements_.reserve(info_.statements.size());
    for (const BodyStatement& source : info_.statements) Analyse(source);
    if (context_.sink.ErrorCount() != errors) return;
    FindGroups(statements_);
    const DomainInputs inputs{context_, info_.locals, definitions_, statements_};
    ComputeDomains(inputs);
    if (context_.sink.ErrorCount() != errors) return;
    EmitOperators(inputs, info_.ast->name.text, call_index_, nodes);
  }

 private:
  bool BindActuals() {
    const auto& formals = info_.ast->formals;
    if (formals.size() != call_.actuals.size()) {
      context_.sink
          .Report(call_.span, kArgumentCount, info_.ast->name.text, formals.size(),
                  call_.actuals.size())
          .Note(info_.ast->name.span, "defined here");
      return false;
    }
    bool ok = true;
    for (std::size_t i = 0; i < formals.size(); ++i) {
      const auto ref = ActualRef(call_.actuals[i]);
      if (!ref) {
        ok = false;
        continue;
      }
      actuals_.push_back(*ref);
      ok = CheckBinding(i, *ref) && ok;
    }
    return ok;
  }

  std::optional<Ref> ActualRef(ast::ExprId id) {
    const ast::Expr& expr = context_.ast.exprs[id];
    if (const auto* name = std::get_if<ast::NameRef>(&expr.node)) {
      const Ref ref = ProgramResolver(context_)(name->name);
      if (ref.kind == RefKind::Undeclared) {
        std::vector<std::string> names;
        for (const graph::Array& array : context_.graph.arrays) {
          if (!array.local) names.push_back(array.name);
        }
        auto report = context_.sink.Report(expr.span, kUndeclared, name->name);
        const std::string near = NearestName(name->name, names);
        if (!near.empty()) report.Hint(fmt::format("did you mean `{}`?", near));
        return std::nullopt;
      }
      if (ref.kind == RefKind::Iterator) {
        context_.sink.Report(expr.span, kBadArgument);
        return std::nullopt;
      }
      if (ref.kind == RefKind::Array) context_.arrays[ref.index].used = true;
      return ref;
    }
    const ast::Expr* number = &expr;
    if (const auto* negated = std::get_if<ast::Unary>(&expr.node)) {
      if (negated->op != UnaryOp::Not) number = &context_.ast.exprs[negated->operand];
    }
    if (!std::holds_alternative<ast::IntLiteral>(number->node) &&
        !std::holds_alternative<ast::FloatLiteral>(number->node)) {
      context_.sink.Report(expr.span, kBadArgument);
      return std::nullopt;
    }
    return Ref{RefKind::Number, 0, id};
  }

  /// A formal has one element type and rank in every call. Numbers only need to be scalars.
  bool CheckBinding(std::size_t i, const Ref& ref) {
    StencilInfo::Binding binding{ScalarType::Int, 0, context_.ast.exprs[call_.actuals[i]].span};
    if (ref.kind == RefKind::Array) {
      const graph::Array& array = context_.graph.arrays[ArrayId{ref.index}];
      binding.type = array.type;
      binding.rank = array.rank();
    }
    auto& first = info_.bindings[i];
    if (!first) {
      if (ref.kind == RefKind::Array) first = binding;
      return true;
    }
    const bool same = ref.kind == RefKind::Array
                          ? first->type == binding.type && first->rank == binding.rank
                          : first->rank == 0;
    if (same) return true;
    context_.sink
        .Report(binding.span, kTypeClash, info_.ast->formals[i].name.text,
                Describe(binding.type, binding.rank), Describe(first->type, first->rank))
        .Note(first->span, "the other call");
    return false;
  }

  void DeclareLocals() {
    current_.assign(info_.locals.size(), -1);
    local_arrays_.assign(info_.locals.size(), ArrayId{});
    for (std::size_t i = 0; i < info_.locals.size(); ++i) {
      const Local& local = info_.locals[i];
      if (!local.IsArray()) continue;
      graph::Array array;
      array.name =
          context_.UniqueName(fmt::format("{}_{}", local.declarator->name.text, call_index_));
      array.type = local.type;
      array.extents = DeclareExtents(context_, *local.declarator, ProgramResolver(context_));
      array.local = true;
      array.span = local.declarator->name.span;
      local_arrays_[i] = context_.AddArray(std::move(array));
      context_.arrays[local_arrays_[i].index].source_name = local.declarator->name.text;
    }
  }

  void ApplyPlacements() {
    for (const ast::StencilItem& item : info_.ast->items) {
      const auto* placement = std::get_if<ast::Placement>(&item);
      if (placement == nullptr) continue;
      for (const ast::Name& name : placement->names) {
        const Ref ref = Resolve(name.text);
        if (ref.kind != RefKind::Array) continue;
        graph::Array& array = context_.graph.arrays[ArrayId{ref.index}];
        array.wish = placement->kind == ast::PlacementKind::SharedMemory
                         ? graph::PlacementWish::SharedMemory
                     : placement->kind == ast::PlacementKind::GlobalMemory
                         ? graph::PlacementWish::GlobalMemory
                         : graph::PlacementWish::NoSharedMemory;
      }
    }
  }

  Ref Resolve(const std::string& name) const {
    const auto formal = info_.formals.find(name);
    if (formal != info_.formals.end()) return actuals_[static_cast<std::size_t>(formal->second)];
    const auto local = info_.locals_by_name.find(name);
    if (local != info_.locals_by_name.end()) {
      const auto index = static_cast<std::uint32_t>(local->second);
      if (info_.locals[index].IsArray()) return {RefKind::Array, local_arrays_[index].index, {}};
      return {RefKind::LocalScalar, index, {}};
    }
    return ProgramResolver(context_)(name);
  }

  // --- statements ---

  void Analyse(const BodyStatement& source) {
    Statement s;
    s.source = &source;
    if (!ResolveTarget(s)) return;
    scope_.shift = s.shift;
    ExprBuilder builder(context_, scope_);
    std::optional<Value> value = builder.Build(source.value);
    const std::size_t reads_of_value = CountTargetReads(s, value);
    if (value && source.op != AssignOp::Assign) {
      const auto old = OldValue(builder, s);
      value = old ? builder.Combine(UpdateOperator(source.op), *old, *value, source.span)
                  : std::nullopt;
    }
    if (!value) {
      Recover(s);
      return;
    }
    s.update = source.op != AssignOp::Assign || reads_of_value > 0;
    s.value = builder.ConvertTo(*value, TargetType(s));
    s.definitions_read = builder.definitions_read();
    graph::CollectAccesses(context_.graph, s.value, s.accesses);
    unsigned varies = builder.varies();
    bool reads_arrays = builder.reads_arrays();
    for (const int d : s.definitions_read) {
      varies |= definitions_[static_cast<std::size_t>(d)].varies;
      reads_arrays = reads_arrays || definitions_[static_cast<std::size_t>(d)].reads_arrays;
    }
    if (!CheckTarget(s, varies, reads_arrays)) return Recover(s);
    SetBounds(s);
    Define(s, varies, reads_arrays);
    statements_.push_back(std::move(s));
  }

  ScalarType TargetType(const Statement& s) const {
    return s.kind == TargetKind::LocalScalar ? info_.locals[s.scalar].type
                                             : context_.graph.arrays[s.array].type;
  }

  bool ResolveTarget(Statement& s) {
    const BodyStatement& source = *s.source;
    const Ref ref = Resolve(source.target.text);
    if (ref.kind == RefKind::LocalScalar) {
      s.kind = TargetKind::LocalScalar;
      s.scalar = ref.index;
      if (source.indices.empty()) return true;
      context_.sink.Report(source.target.span, kNotIndexed, source.target.text);
      return false;
    }
    if (ref.kind != RefKind::Array) {
      context_.sink.Report(source.target.span, kAssignNumber, source.target.text);
      return false;
    }
    s.array = ArrayId{ref.index};
    const graph::Array& array = context_.graph.arrays[s.array];
    if (array.constant) {
      context_.sink.Report(source.target.span, kAssignConstant, source.target.text)
          .Note(array.span, "declared here");
      return false;
    }
    s.kind = array.rank() > 0 ? TargetKind::Array : TargetKind::ProgramScalar;
    if (source.indices.size() != array.rank()) {
      if (array.rank() == 0) {
        context_.sink.Report(source.target.span, kNotIndexed, source.target.text);
      } else if (source.indices.empty()) {
        context_.sink.Report(source.target.span, kNeedsIndex, source.target.text, array.rank());
      } else {
        context_.sink.Report(source.span, kWrongRank, source.target.text, array.rank(),
                             source.indices.size());
      }
      return false;
    }
    return ResolveTargetIndices(s);
  }

  /// Reads the left side's indices and removes the offset of each iterator by shifting it.
  bool ResolveTargetIndices(Statement& s) {
    scope_.shift = {};
    ExprBuilder builder(context_, scope_);
    auto indices = builder.Indices(s.source->indices);
    if (!indices) return false;
    const graph::Array& array = context_.graph.arrays[s.array];
    std::array<bool, 3> seen{};
    for (std::size_t d = 0; d < indices->size(); ++d) {
      Index& index = (*indices)[d];
      if (index.iterator < 0) {
        if (AlwaysNegative(index.offset) || AlwaysNegative(array.extents[d] - 1 - index.offset)) {
          context_.sink.Report(context_.ast.exprs[s.source->indices[d]].span, kIndexOutside,
                               array.name, static_cast<std::int64_t>(d + 1));
          return false;
        }
        continue;
      }
      const auto it = static_cast<std::size_t>(index.iterator);
      if (index.coefficient == 1 && !seen[it]) s.shift[it] = index.offset;
      seen[it] = true;
    }
    s.target = std::move(*indices);
    for (Index& index : s.target) {
      if (index.iterator < 0) continue;
      index.offset =
          index.offset - s.shift[static_cast<std::size_t>(index.iterator)] * index.coefficient;
    }
    return true;
  }

  /// How often the right side reads the array or scalar assigned.
  std::size_t CountTargetReads(const Statement& s, const std::optional<Value>& value) {
    if (!value) return 0;
    if (s.kind == TargetKind::LocalScalar) {
      return current_[s.scalar] >= 0 && ReadsDefinition(value->id, current_[s.scalar]) ? 1 : 0;
    }
    std::vector<graph::ExprId> accesses;
    graph::CollectAccesses(context_.graph, value->id, accesses);
    return static_cast<std::size_t>(
        std::count_if(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
          const auto& access = std::get<graph::Access>(context_.graph.exprs[id].node);
          return access.version == context_.current[s.array.index];
        }));
  }

  bool ReadsDefinition(graph::ExprId id, int definition) const {
    return Match(
        context_.graph.exprs[id].node, [&](const graph::LetRef& n) { return n.let == definition; },
        [&](const graph::Unary& n) { return ReadsDefinition(n.operand, definition); },
        [&](const graph::Convert& n) { return ReadsDefinition(n.operand, definition); },
        [&](const graph::Binary& n) {
          return ReadsDefinition(n.rhs, definition) || ReadsDefinition(n.lhs, definition);
        },
        [&](const graph::Conditional& n) {
          return ReadsDefinition(n.condition, definition) ||
                 ReadsDefinition(n.then_value, definition) ||
                 ReadsDefinition(n.else_value, definition);
        },
        [&](const graph::Call& n) {
          return std::any_of(n.arguments.begin(), n.arguments.end(), [&](graph::ExprId argument) {
            return ReadsDefinition(argument, definition);
          });
        },
        [](const auto&) { return false; });
  }

  std::optional<Value> OldValue(ExprBuilder& builder, const Statement& s) {
    if (s.kind == TargetKind::LocalScalar) {
      ast::NameRef name{s.source->target.text};
      return builder.BuildName(name, s.source->target.span);
    }
    return builder.Read(s.array, s.target, s.source->target.span);
  }

  bool CheckTarget(const Statement& s, unsigned varies, bool reads_arrays) {
    if (s.kind == TargetKind::LocalScalar) return true;
    unsigned indexed = 0;
    for (const Index& index : s.target) {
      if (index.iterator >= 0) indexed |= 1U << static_cast<unsigned>(index.iterator);
    }
    if (s.kind == TargetKind::ProgramScalar && (varies != 0 || reads_arrays)) {
      context_.sink.Report(s.source->span, kScalarFromArray, s.source->target.text)
          .Hint("use a scalar declared inside the stencil for a value of each point");
      return false;
    }
    for (int d = 0; d < context_.IteratorCount(); ++d) {
      if (((varies & ~indexed) >> static_cast<unsigned>(d) & 1U) == 0) continue;
      context_.sink.Report(s.source->span, kMissingIterator, s.source->target.text,
                           context_.graph.iterators[static_cast<std::size_t>(d)]);
      return false;
    }
    return true;
  }

  void SetBounds(Statement& s) {
    s.bounds = Everywhere(context_.IteratorCount());
    if (s.kind == TargetKind::ProgramScalar) return;
    std::vector<int> iterators;
    std::vector<Index> source_target = s.target;
    for (Index& index : source_target) {
      if (index.iterator < 0) continue;
      iterators.push_back(index.iterator);
      index.offset =
          index.offset + s.shift[static_cast<std::size_t>(index.iterator)] * index.coefficient;
    }
    std::sort(iterators.begin(), iterators.end());
    iterators.erase(std::unique(iterators.begin(), iterators.end()), iterators.end());
    std::optional<ResolvedDomain> own;
    if (s.source->domain != nullptr) {
      own = ResolveDomain(context_, scope_.resolve, *s.source->domain);
    }
    for (const auto* domain : {&call_domain_, &own}) {
      if (!*domain) continue;
      // A call's domain that does not fit a scalar is for the arrays of the call.
      if (s.kind == TargetKind::LocalScalar && domain == &call_domain_ &&
          static_cast<int>((*domain)->ranges.size()) != context_.IteratorCount()) {
        continue;
      }
      const auto spread = SpreadDomain(context_, **domain, iterators);
      if (!spread) continue;
      if (s.kind == TargetKind::Array) {
        CheckDomainInside(context_, **domain, *spread, context_.graph.arrays[s.array],
                          source_target);
      }
      for (std::size_t d = 0; d < spread->size(); ++d) {
        const Index source_iterator{static_cast<int>(d), 1, s.shift[d] * -1};
        Constrain(s.bounds, source_iterator, (*spread)[d]);
      }
      if (domain == &own) s.own_domain = *spread;
    }
    for (std::size_t d = 0; d < s.target.size(); ++d) {
      Constrain(s.bounds, s.target[d], ExtentInterval(context_.graph.arrays[s.array].extents[d]));
    }
  }

  /// Makes the statement's result what later reads see.
  void Define(Statement& s, unsigned varies, bool reads_arrays) {
    if (s.kind == TargetKind::LocalScalar) {
      s.definition = static_cast<int>(definitions_.size());
      Definition definition;
      definition.scalar = s.scalar;
      definition.name = UniqueLocalName(s.source->target.text);
      definition.type = info_.locals[s.scalar].type;
      definition.value = s.value;
      definition.varies = varies;
      definition.reads_arrays = reads_arrays;
      definition.background = current_[s.scalar];
      definition.reads = s.definitions_read;
      definition.span = s.source->span;
      definitions_.push_back(std::move(definition));
      current_[s.scalar] = s.definition;
      return;
    }
    s.background = context_.current[s.array.index];
    s.result = context_.graph.versions.Add({s.array, graph::DefKind::Operator, {}});
    context_.current[s.array.index] = s.result;
    context_.arrays[s.array.index].used = true;
    context_.arrays[s.array.index].written = true;
  }

  /// After an error: the target counts as written, so that its reads do not draw more errors.
  void Recover(Statement& s) {
    if (s.kind == TargetKind::LocalScalar) {
      s.value = context_.AddExpr({graph::Literal{}, info_.locals[s.scalar].type, {}});
      Define(s, 0, false);
    } else {
      Define(s, 0, false);
    }
  }

  std::string UniqueLocalName(const std::string& base) {
    std::string name = base;
    for (int i = 2; context_.taken.count(name) > 0 || !local_names_.insert(name).second; ++i) {
      name = fmt::format("{}_{}", base, i);
    }
    return name;
  }

  Context& context_;
  StencilInfo& info_;
  const ast::StencilCall& call_;
  int call_index_;
  ExprScope scope_;
  std::vector<Ref> actuals_;
  std::vector<ArrayId> local_arrays_;  ///< by local
  std::vector<int> current_;           ///< by local: definition a read sees
  std::vector<Definition> definitions_;
  std::vector<Statement> statements_;
  std::set<std::string> local_names_;
  std::optional<ResolvedDomain> call_domain_;
};

}  // namespace

void InstantiateCall(Context& context, StencilInfo& info, const ast::StencilCall& call,
                     int call_index, std::vector<graph::NodeId>& nodes) {
  info.called = true;
  if (!info.ok) return;
  Instance(context, info, call, call_index).Run(nodes);
}

}  // namespace stencilgen::sema
