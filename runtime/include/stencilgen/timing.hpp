#ifndef STENCILGEN_TIMING_HPP
#define STENCILGEN_TIMING_HPP

#include <chrono>

namespace stencilgen {

/// Milliseconds of each repeat of `body`, which returns a status; the first nonzero one ends it.
template <typename Body>
int TimeRepeats(int warmups, int repeats, double* milliseconds, Body body) {
  using Clock = std::chrono::steady_clock;
  for (int k = 0; k < warmups; ++k) {
    if (const int status = body()) return status;
  }
  for (int k = 0; k < repeats; ++k) {
    const Clock::time_point start = Clock::now();
    if (const int status = body()) return status;
    milliseconds[k] = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  return 0;
}

}  // namespace stencilgen

#endif  // STENCILGEN_TIMING_HPP
