#pragma once

#include <optional>
#include <vector>

#include "sema/affine.h"
#include "sema/call_domain.h"
#include "sema/context.h"
#include "sema/statement.h"

namespace stencilgen::sema {

/// The statements of one call and the values its local scalars take.
struct AnalysedCall {
  std::vector<Definition> definitions;
  std::vector<Statement> statements;
};

/// Analyses the statements of a stencil in order: left side, value in the graph, bounds; groups and
/// domains are left to FindGroups and ComputeDomains. Context::current then holds the versions
/// after the call. Leaves out a statement with an error (reported), but counts its target as
/// written, so that one error does not draw others.
/// Requires: `resolve` resolves the names of the call; `info` outlives the result.
AnalysedCall AnalyseStatements(Context& context, const StencilInfo& info, const Resolver& resolve,
                               const std::optional<ResolvedDomain>& call_domain);

}  // namespace stencilgen::sema
