#pragma once

#include "driver/options.h"

namespace stencilgen::driver {

/// `stencilgen tune FILE`. Returns the exit status.
int TuneCommand(const Options& options);

}  // namespace stencilgen::driver
