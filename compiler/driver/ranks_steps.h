#pragma once

#include <string>

#include "driver/emit_distributed.h"
#include "driver/ranks_names.h"

namespace stencilgen::driver {

/// The steps of a program for ranks as lines of its function Run, and the members that they need.
struct RanksSteps {
  std::string body, members;
};
RanksSteps PrintRanksSteps(const LoweredRanks& lowered, const RanksNames& names);

}  // namespace stencilgen::driver
