#pragma once

#include "driver/options.h"

namespace stencilgen::driver {

/// `stencilgen explain FILE`. Returns the exit status.
int ExplainCommand(const Options& options);

}  // namespace stencilgen::driver
