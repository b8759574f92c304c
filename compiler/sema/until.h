#pragma once

#include <optional>
#include <set>
#include <vector>

#include "sema/context.h"

namespace stencilgen::sema {

/// What ends a loop before its turns are over: `iterate T until condition every turns { ... }`.
/// Adds the operator that computes the condition to the body, which has been built: it reads what
/// scalars of the program are at the end of a turn. `changed`: what the body may change. Requires:
/// the loop has an `until`; its turn, where it has one, is among those around. Ensures: empty only
/// where an error was reported.
std::optional<graph::Stop> AddStop(Context& context, const ast::Iterate& iterate, int call,
                                   const std::set<graph::ArrayId>& changed,
                                   std::vector<graph::NodeId>& body);

}  // namespace stencilgen::sema
