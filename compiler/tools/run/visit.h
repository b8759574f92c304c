#pragma once

#include <string>

namespace stencilgen::driver {

/// One look at the time of a library: the median of some calls, or why there is none.
struct Visit {
  double milliseconds = 0;
  std::string failure;
  /// Processors that other processes kept busy meanwhile, on average; 0 where nobody knows.
  double others = 0;
};

}  // namespace stencilgen::driver
