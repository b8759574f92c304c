#pragma once

#include "driver/options.h"

namespace stencilgen::driver {

/// `stencilgen build FILE`: the shared library that `run` would make, kept in the cache, and where
/// it is. Returns the exit status.
int BuildCommand(const Options& options);

}  // namespace stencilgen::driver
