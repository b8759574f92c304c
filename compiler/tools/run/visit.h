#pragma once

#include <string>

namespace stencilgen::driver {

/// One look at the time of a library: the median of some calls, or why there is none.
struct Visit {
  double milliseconds = 0;
  std::string failure;
};

}  // namespace stencilgen::driver
