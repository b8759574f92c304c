#pragma once

#include <cstddef>
#include <functional>

namespace stencilgen {

/// How many threads the machine runs at a time; 1 where that is not known.
std::size_t Cores();

/// Calls `work` with each of 0 to count - 1 once, on `jobs` threads, of which the caller's is one;
/// with no more than there are calls, and with one for no jobs. Returns when all are done. After an
/// exception of `work` no other call is begun; it is rethrown, the first of several, when those
/// that had begun are done. Requires: `work` may be called by several threads.
void ForEachInParallel(std::size_t count, std::size_t jobs,
                       const std::function<void(std::size_t)>& work);

}  // namespace stencilgen
