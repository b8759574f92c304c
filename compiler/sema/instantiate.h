#pragma once

#include "sema/context.h"
#include "sema/stencil_info.h"

namespace stencilgen::sema {

/// Replaces a call by its stencil's statements (grammar/README.md, Calls): binds the actuals,
/// builds one operator a statement with its domain, and appends them to `nodes`. Context::current
/// then holds the versions after the call. Reports what is wrong with the call.
/// Requires: DeclareProgram and CheckStencil have run.
void InstantiateCall(Context& context, StencilInfo& info, const ast::StencilCall& call,
                     int call_index, std::vector<graph::NodeId>& nodes);

}  // namespace stencilgen::sema
