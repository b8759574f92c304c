#pragma once

#include "sema/affine.h"

/// Indices that are values: `u[z[r]]` reads at the place that an element of `z` says.
namespace stencilgen::sema {

/// True where the index has an element of an array or a scalar in it, so that it is no function of
/// iterators and sizes.
bool IsPlace(const Context& context, const Resolver& resolve, ast::ExprId index);

/// The boundary modes of an access with such indices: places outside of the array read as its modes
/// say, and as 0 where it has none.
std::vector<graph::Boundary> WithPlaces(const std::vector<graph::Index>& indices,
                                        std::vector<graph::Boundary> boundary);

}  // namespace stencilgen::sema
