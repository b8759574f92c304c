#pragma once

#include <string>

#include "driver/emit_distributed.h"

namespace stencilgen::driver {

/// `--explain` of code for ranks: how they share the points, what they do between exchanges, which
/// of these they can hide, and where messages are sent from.
std::string ExplainRanks(const LoweredRanks& lowered);

}  // namespace stencilgen::driver
