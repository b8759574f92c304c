#include "sema/instantiate.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/analyse_statements.h"
#include "sema/bind_call.h"
#include "sema/emit_operators.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<std::string_view, std::string_view> kComponents{
    "unknown-components", Severity::Error,
    "{} along '{}', the first of four iterators, which counts components"};

/// Statements along the first of four iterators are repeated, once a component.
void CheckComponents(Context& context, const Statement& s) {
  if (context.graph.iterators.size() < kMostIterators) return;
  if (s.kind == TargetKind::Reduction) {
    if (s.iterators.empty() || s.iterators.front() > 0) return;
    context.sink
        .Report(s.source->span, kComponents, "this reduction is", context.graph.iterators[0])
        .Hint("reduce each component by itself");
    return;
  }
  const bool along = std::any_of(s.target.begin(), s.target.end(),
                                 [](const graph::Index& index) { return index.iterator == 0; });
  if (!along || KnownValues(s.domain.intervals.front())) return;
  context.sink.Report(s.source->span, kComponents, "this statement is", context.graph.iterators[0])
      .Hint(fmt::format("its values must be known: take `{}` for a dimension whose extent is a "
                        "number, as in `double u[3,L,M,N]`",
                        context.graph.iterators[0]));
}

}  // namespace

void InstantiateCall(Context& context, StencilInfo& info, const ast::StencilCall& call,
                     int call_index, std::vector<graph::NodeId>& nodes) {
  info.called = true;
  const std::size_t errors = context.sink.ErrorCount();
  const auto names = BindCall(context, info, call, call_index);
  if (!names || !info.ok) return;  // a wrong call of a wrong stencil is said in the same run
  std::optional<ResolvedDomain> domain;
  if (call.domain) {
    domain = ResolveDomain(context, ProgramResolver(context), *call.domain);
    if (!domain) return;
  }
  const Resolver resolve = [&](const std::string& name) { return names->Resolve(name); };
  AnalysedCall analysed = AnalyseStatements(context, info, resolve, domain);
  if (context.sink.ErrorCount() != errors) return;
  FindGroups(analysed.statements);
  const DomainInputs inputs{context, info.locals, analysed.definitions, analysed.statements};
  ComputeDomains(inputs);
  if (context.sink.ErrorCount() != errors) return;
  for (const Statement& s : analysed.statements) CheckComponents(context, s);
  if (context.sink.ErrorCount() != errors) return;
  EmitOperators(inputs, info.ast->name.text, call_index, nodes);
}

}  // namespace stencilgen::sema
