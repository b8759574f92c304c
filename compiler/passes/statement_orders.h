#pragma once

#include <cstddef>
#include <vector>

#include "kernel/body.h"

namespace stencilgen::passes {

/// Orders of the body's instructions in which whole statements change places, so that those with
/// values in common are neighbours ([S] 5.3.2): the two statements, or groups of them, with the
/// most common values become a group, as long as no statement between them would have to come
/// first, until one group is left; it is unfolded with the two halves of each group in one order
/// or, where neither needs the other, the other. The body's own order is the first.
/// Ensures: every order is legal; at most `limit`, no two alike.
std::vector<std::vector<std::size_t>> StatementOrders(const kernel::Body& body, std::size_t limit);

}  // namespace stencilgen::passes
