#pragma once

#include <optional>

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// Declares the scalar that the step sets in the stencil. Requires: it is a private of the model.
/// Reports types that stencil programs have not.
void DeclareLocal(Writing& writing, const Step& step, ast::Stencil& stencil);

/// The step as an assignment of the stencil, with its own domain: a sum, a minimum or a maximum
/// where the order makes it a reduction, a choice of the new and the old value where some points
/// of the domain are left out. Empty where an error was reported.
std::optional<ast::Assignment> WriteStep(Writing& writing, const Step& step, const Frame& frame,
                                         ast::Stencil& stencil);

}  // namespace stencilgen::scop
