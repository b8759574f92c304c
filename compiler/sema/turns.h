#pragma once

#include "sema/context.h"

/// The turns of loops, `iterate t : T { ... }`, as values.
namespace stencilgen::sema {

/// Introduces the names that loops have for their turns. Loops one after the other may use one
/// name; it stands for one parameter of the graph. Requires: all other names of the program have
/// been introduced.
void DeclareTurns(Context& context);

/// The loop's turn; invalid where it names none, or its name means something else (reported).
graph::ParameterId TurnOf(const Context& context, const ast::Iterate& iterate);

/// True where the parameter has a value here: it is no turn, or that of a loop around. Else reports
/// `turn-outside`.
bool RequireTurn(Context& context, graph::ParameterId parameter, Span span);

/// What the form is at least, and at most, in the turns of the loops around.
graph::LinearForm Smallest(const Context& context, graph::LinearForm form);
graph::LinearForm Largest(const Context& context, graph::LinearForm form);

}  // namespace stencilgen::sema
