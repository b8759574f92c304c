#pragma once

#include <vector>

#include "plan/plan.h"

namespace stencilgen::plan {

/// True where the operator's kernel can walk along the iterator: it has it, and another one for x.
bool CanStream(const graph::Operator& op, int iterator);

/// The register windows of an operator that streams along `iterator` ([S] 3.3.2: an order-k stencil
/// keeps 2k+1 planes): one for every set of two or more accesses of a version that differ by
/// constants along the stream alone. Largest first, as long as they fit in kMostHeld registers'
/// worth of values. Accesses that only some points evaluate, that have a boundary mode, or whose
/// buffer the kernel also writes are left in memory.
/// Requires: CanStream(op, iterator); `buffer_of` by version index.
std::vector<Window> FindWindows(const graph::Graph& graph, const graph::Operator& op, int iterator,
                                const std::vector<BufferId>& buffer_of);

/// Values a thread may hold in windows: half of its 255 registers as doubles.
inline constexpr std::int64_t kMostHeld = 64;

/// The window's place of the element an access reads, counted from the oldest; -1 where it is not
/// in the window.
int PlaceIn(const Window& window, const graph::Access& access);

}  // namespace stencilgen::plan
