#pragma once

#include <cstdint>

#include "kernel/body.h"

namespace stencilgen::passes {

/// Computes once what sums of a body have in common. Neighbouring points of a thread, and the
/// planes that a plane is added to, weigh the same elements by the same coefficients: of a sum of
/// 27 terms with weights that are equal about its centre, 12 operations a point remain.
///
/// Two steps, each until nothing is gained: a pair of terms with one coefficient, which occurs in
/// most sums (`c*(a + b)`), is added once; then terms that two or more sums have in common, up to
/// the sign of all of them, become a value. This is elimination of common subexpressions from
/// linear forms (Hartley, IEEE TCAS-II 43(10), 1996), with coefficients for digits.
///
/// Rounding changes: for `--fp fast` alone.
/// Requires: kernel::Verify(body) is empty.
/// Ensures: it still is; results are the same values but for rounding; what is `held` stays so;
/// CountArithmetic is not above the input's.
kernel::Body ShareSums(kernel::Body body);

/// Instructions of arithmetic: a contribution to a sum is one (a product's is a multiply-add), but
/// for one that only begins it; a copy, a choice or a conversion is none. A result that is added to
/// a sum of the code around the body takes another, but for a lone product.
std::int64_t CountArithmetic(const kernel::Body& body);

}  // namespace stencilgen::passes
