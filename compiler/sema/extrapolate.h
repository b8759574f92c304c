#pragma once

#include "sema/context.h"

namespace stencilgen::sema {

/// The value of an access whose array continues straight lines beyond its ends along the dimensions
/// marked (`boundary u = extrapolate`): twice the element at the end, less the one as far inside as
/// the place is outside. Both are elements that other modes read, so that no later stage knows of
/// it: `e - (m - e)` with e by `clamp` and m by `mirror101`, which inside of the array is the
/// element itself, bit for bit where it is finite. Of several dimensions one after the other.
///
/// Requires: one mark a dimension, or none at all; marked dimensions have the mode Clamp.
graph::ExprId AddExtrapolated(Context& context, graph::Access access,
                              const std::vector<bool>& marks, ScalarType type, Span span);

}  // namespace stencilgen::sema
