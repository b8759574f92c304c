#pragma once

#include <optional>

#include "sema/affine.h"
#include "sema/call_domain.h"
#include "sema/context.h"
#include "sema/statement.h"

namespace stencilgen::sema {

/// Sets Statement::bounds and own_domain: the points that the domains of the call and of the
/// statement and the extents of the array written allow. Reports domains that do not fit.
/// Requires: ResolveTarget has succeeded.
void SetBounds(Context& context, const Resolver& resolve,
               const std::optional<ResolvedDomain>& call_domain, Statement& statement);

}  // namespace stencilgen::sema
