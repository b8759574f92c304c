#include "sema/instantiate.h"

#include "sema/analyse_statements.h"
#include "sema/bind_call.h"
#include "sema/emit_operators.h"

namespace stencilgen::sema {

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
  EmitOperators(inputs, info.ast->name.text, call_index, nodes);
}

}  // namespace stencilgen::sema
