#pragma once

#include <optional>
#include <string>

#include "driver/options.h"

/// The options of `stencilgen explain --ranks`.
namespace stencilgen::driver {

/// `64,512,4096`
std::optional<UsageError> ReadRankCounts(ScalingOptions& options, const std::string& value);

/// `latency=2us,bandwidth=25GB/s`, or one of them.
std::optional<UsageError> ApplyNetwork(Options& options, const std::string& value);

/// `strong` or `weak`.
std::optional<UsageError> ApplyScaling(Options& options, const std::string& value);

}  // namespace stencilgen::driver
