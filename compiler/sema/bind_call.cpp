#include "sema/bind_call.h"

#include <variant>

#include "sema/affine.h"
#include "sema/declarations.h"
#include "sema/messages.h"
#include "sema/turns.h"
#include "support/count_text.h"

namespace stencilgen::sema {
namespace {

using graph::ArrayId;

constexpr DiagnosticKind<> kBadArgument{
    "bad-argument", Severity::Error, "an argument is the name of an array or scalar, or a number"};
constexpr DiagnosticKind<std::string_view, std::string_view, std::string_view> kTypeClash{
    "type-clash", Severity::Error, "formal '{}' is bound to {} here but to {} in another call"};

std::string_view Article(ScalarType type) {
  return type == ScalarType::Int ? "an" : "a";
}

std::string Describe(ScalarType type, std::size_t rank) {
  return rank == 0 ? fmt::format("{} {} scalar", Article(type), ToString(type))
                   : fmt::format("a {}-dimensional {} array", rank, ToString(type));
}

void ReportUndeclared(Context& context, const std::string& name, Span span) {
  std::vector<std::string> names;
  for (const graph::Array& array : context.graph.arrays) {
    if (!array.local) names.push_back(array.name);
  }
  context.sink.Report(span, kUndeclared, name).HintNearest(name, names);
}

bool IsNumber(const ast::Program& program, const ast::Expr& expr) {
  const ast::Expr* number = &expr;
  if (const auto* sign = std::get_if<ast::Unary>(&expr.node)) {
    if (sign->op != UnaryOp::Not) number = &program.exprs[sign->operand];
  }
  return std::holds_alternative<ast::IntLiteral>(number->node) ||
         std::holds_alternative<ast::FloatLiteral>(number->node);
}

/// What an actual stands for; empty (and reported) where it cannot be one.
std::optional<Ref> ResolveActual(Context& context, ast::ExprId id) {
  const ast::Expr& expr = context.ast.exprs[id];
  const auto* name = std::get_if<ast::NameRef>(&expr.node);
  if (name == nullptr) {
    if (IsNumber(context.ast, expr)) return Ref{RefKind::Number, 0, id};
    context.sink.Report(expr.span, kBadArgument);
    return std::nullopt;
  }
  const Ref ref = ProgramResolver(context)(name->name);
  if (ref.kind == RefKind::Undeclared) {
    ReportUndeclared(context, name->name, expr.span);
    return std::nullopt;
  }
  if (ref.kind == RefKind::Iterator) {
    context.sink.Report(expr.span, kBadArgument);
    return std::nullopt;
  }
  if (ref.kind == RefKind::Parameter && !RequireTurn(context, {ref.index}, expr.span)) {
    return std::nullopt;
  }
  if (ref.kind == RefKind::Array) context.arrays[ref.index].used = true;
  return ref;
}

/// A formal has one element type and rank in every call. Numbers only need to be scalars.
bool CheckBinding(Context& context, StencilInfo& info, std::size_t formal, const Ref& ref,
                  Span span) {
  StencilInfo::Binding binding{ScalarType::Int, 0, span};
  if (ref.kind == RefKind::Array) {
    const graph::Array& array = context.graph.arrays[ArrayId{ref.index}];
    binding.type = array.type;
    binding.rank = context.WrittenRank(ArrayId{ref.index});
  }
  auto& first = info.bindings[formal];
  if (!first) {
    if (ref.kind == RefKind::Array) first = binding;
    return true;
  }
  const bool same = ref.kind == RefKind::Array
                        ? first->type == binding.type && first->rank == binding.rank
                        : first->rank == 0;
  if (same) return true;
  context.sink
      .Report(span, kTypeClash, info.ast->formals[formal].name.text,
              ref.kind == RefKind::Array ? Describe(binding.type, binding.rank) : "a number",
              Describe(first->type, first->rank))
      .Note(first->span, "the other call");
  return false;
}

/// By formal; empty (and reported) where one is wrong.
std::optional<std::vector<Ref>> BindActuals(Context& context, StencilInfo& info,
                                            const ast::StencilCall& call) {
  const auto& formals = info.ast->formals;
  if (formals.size() != call.actuals.size()) {
    context.sink
        .Report(call.span, kArgumentCount, info.ast->name.text,
                CountText(formals.size(), "argument"), call.actuals.size())
        .Note(info.ast->name.span, "defined here");
    return std::nullopt;
  }
  std::vector<Ref> actuals;
  bool ok = true;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const auto ref = ResolveActual(context, call.actuals[i]);
    if (!ref) {
      ok = false;
      continue;
    }
    actuals.push_back(*ref);
    ok = CheckBinding(context, info, i, *ref, context.ast.exprs[call.actuals[i]].span) && ok;
  }
  if (!ok) return std::nullopt;
  return actuals;
}

/// Adds the local arrays to the graph, by local.
std::vector<ArrayId> DeclareLocalArrays(Context& context, const StencilInfo& info, int call_index) {
  std::vector<ArrayId> ids(info.locals.size());
  for (std::size_t i = 0; i < info.locals.size(); ++i) {
    const Local& local = info.locals[i];
    if (!local.IsArray()) continue;
    const ast::Name& name = local.declarator->name;
    graph::Array array;
    array.name = context.UniqueName(fmt::format("{}_{}", name.text, call_index));
    array.type = local.type;
    array.format = local.format;
    array.extents = DeclareExtents(context, *local.declarator, ProgramResolver(context));
    array.local = true;
    array.span = name.span;
    ids[i] = context.AddArray(std::move(array));
    context.arrays[ids[i].index].source_name = name.text;
  }
  return ids;
}

graph::PlacementWish WishOf(ast::PlacementKind kind) {
  switch (kind) {
    case ast::PlacementKind::SharedMemory:
      return graph::PlacementWish::SharedMemory;
    case ast::PlacementKind::GlobalMemory:
      return graph::PlacementWish::GlobalMemory;
    case ast::PlacementKind::NoSharedMemory:
      break;
  }
  return graph::PlacementWish::NoSharedMemory;
}

void ApplyPlacements(Context& context, const CallNames& names) {
  for (const ast::StencilItem& item : names.info.ast->items) {
    const auto* placement = std::get_if<ast::Placement>(&item);
    if (placement == nullptr) continue;
    for (const ast::Name& name : placement->names) {
      const Ref ref = names.Resolve(name.text);
      if (ref.kind != RefKind::Array) continue;
      context.graph.arrays[ArrayId{ref.index}].wish = WishOf(placement->kind);
    }
  }
}

}  // namespace

Ref CallNames::Resolve(const std::string& name) const {
  const auto formal = info.formals.find(name);
  if (formal != info.formals.end()) return actuals[static_cast<std::size_t>(formal->second)];
  const auto local = info.locals_by_name.find(name);
  if (local != info.locals_by_name.end()) {
    const auto index = static_cast<std::uint32_t>(local->second);
    if (info.locals[index].IsArray()) return {RefKind::Array, local_arrays[index].index, {}};
    return {RefKind::LocalScalar, index, {}};
  }
  return ProgramResolver(context)(name);
}

std::optional<CallNames> BindCall(Context& context, StencilInfo& info, const ast::StencilCall& call,
                                  int call_index) {
  auto actuals = BindActuals(context, info, call);
  if (!actuals) return std::nullopt;
  CallNames names{context, info, std::move(*actuals),
                  DeclareLocalArrays(context, info, call_index)};
  ApplyPlacements(context, names);
  return names;
}

}  // namespace stencilgen::sema
