#pragma once

#include "kernel/body.h"

namespace stencilgen::passes {

/// Makes nested accumulations one k-ary accumulation ([S] 4.3): where `t` is a sum (product) that
/// one contribution `r += t`, `r -= t` (`r *= t`) alone reads, t's contributions go to r. A
/// difference or sum `r = s - t` with such an operand becomes an accumulation.
///
/// Requires: kernel::Verify(body) is empty. Ensures: it still is; the results are the same but for
/// rounding; no more instructions than before, except for one for each such difference.
kernel::Body FlattenSums(kernel::Body body);

}  // namespace stencilgen::passes
