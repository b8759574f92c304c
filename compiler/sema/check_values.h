#pragma once

#include "sema/context.h"

namespace stencilgen::sema {

/// Reads of what has no value: `read-before-write` where that is certain, `may-be-undefined` where
/// it may be, once for each array; and `copyout-partly-written` for outputs that were not copied in
/// and are not written everywhere. Loops are walked for their first turn and for a later one, which
/// finds what turns before it have left.
/// Requires: the graph in the context is complete.
void CheckValues(Context& context);

}  // namespace stencilgen::sema
