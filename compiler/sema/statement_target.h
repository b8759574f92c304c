#pragma once

#include <string>
#include <string_view>

#include "sema/affine.h"
#include "sema/context.h"
#include "sema/statement.h"

namespace stencilgen::sema {

/// Sets Statement::kind, array or scalar, target and shift: the left side, with the offset of each
/// iterator removed by shifting the iterator. False where the left side cannot be assigned or an
/// index of it is wrong (reported).
/// Requires: Statement::source is set.
bool ResolveTarget(Context& context, const Resolver& resolve, Statement& statement);

/// Reports `missing-iterator` where the value varies along an iterator that the left side does not
/// use, and `scalar-from-array` where a program-level scalar would need a value for each point.
/// False where it reported. Bit d of `varies` stands for iterator d.
/// Requires: ResolveTarget has succeeded.
bool CheckTargetCovers(Context& context, const Statement& statement, unsigned varies,
                       bool reads_arrays);

/// How to write what was meant by the value of one element of an array into a program-level scalar:
/// the sum over its point. Empty where the expression reads no such element.
std::string ElementHint(const Context& context, std::string_view target, graph::ExprId value);

}  // namespace stencilgen::sema
