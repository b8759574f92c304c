#pragma once

#include "sema/affine.h"
#include "sema/context.h"

namespace stencilgen::sema {

/// Declares parameters, iterators, arrays and scalars, and applies the copy lists, boundary modes
/// and unroll wishes: fills Context::graph (but for nodes), symbols and arrays. Reports every error
/// it meets and goes on.
void DeclareProgram(Context& context);

/// The extents of an array declarator, program level or local. Reports what is wrong with them and
/// puts 1 in the place of an extent it cannot read.
std::vector<graph::LinearForm> DeclareExtents(Context& context, const ast::Declarator& declarator,
                                              const Resolver& resolve);

/// Reports `narrow-scalar` where the declarator is a scalar of a type that only arrays have.
void RequireArray(Context& context, ElementType type, const ast::Declarator& declarator);

/// Records the unroll factors the program wishes for (the last one wins).
void ApplyUnroll(Context& context, const ast::UnrollSpec& spec);

}  // namespace stencilgen::sema
