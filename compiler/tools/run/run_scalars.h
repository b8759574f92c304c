#pragma once

#include <optional>

#include "driver/options.h"
#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// Gives scalars the values of `--scalar`: `a=0.5`, and both parts of a complex one by `a=0.5-2i`.
/// A scalar that takes a reduction is an array of one element, and has a value to begin with where
/// it is copied in. Requires: `has_value` says of arrays which are copied in.
std::optional<UsageError> ReadScalars(RunInputs& inputs, const Options& options);

}  // namespace stencilgen::driver
