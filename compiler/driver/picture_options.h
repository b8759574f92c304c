#pragma once

#include <vector>

#include "driver/option_table.h"

namespace stencilgen::driver {

/// The options of pictures and movies of results, as a part of the table of options.
std::vector<OptionSpec> PictureOptionSpecs();

/// What contradicts itself among them; empty where nothing does.
std::optional<UsageError> CheckPictureOptions(const PictureOptions& options);

}  // namespace stencilgen::driver
