#pragma once

#include "driver/options.h"

namespace stencilgen::driver {

/// `stencilgen run FILE`. Returns the exit status.
int RunCommand(const Options& options);

}  // namespace stencilgen::driver
