#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/context.h"
#include "sema/stencil_info.h"

namespace stencilgen::sema {

/// What the names in a stencil's body stand for in one call.
struct CallNames {
  const Context& context;
  const StencilInfo& info;
  std::vector<Ref> actuals;                  ///< by formal
  std::vector<graph::ArrayId> local_arrays;  ///< by local; invalid for a scalar

  Ref Resolve(const std::string& name) const;
};

/// Binds the formals to the call's actuals, adds the local arrays to the graph and records what the
/// stencil wishes for the placement of its arrays. Reports what is wrong with the actuals, among it
/// `type-clash` with the first call of the stencil, and gives empty then.
/// Requires: `context` and `info` outlive the result.
std::optional<CallNames> BindCall(Context& context, StencilInfo& info, const ast::StencilCall& call,
                                  int call_index);

}  // namespace stencilgen::sema
