#pragma once

#include <vector>

#include "driver/option_table.h"

namespace stencilgen::driver {

/// The options that shape CUDA code, as a part of the table of options.
std::vector<OptionSpec> GpuOptions();

}  // namespace stencilgen::driver
