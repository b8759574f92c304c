#pragma once

#include <optional>
#include <string>

#include "driver/option_set.h"
#include "suite/programs.h"

namespace stencilgen::suite {

/// Why the tuning database that the tool looks up by itself cannot be used; empty where it can, or
/// where there is none.
std::string CheckTuningDatabase();

/// What was tuned for the program at its sizes on this machine's CPU, or on a GPU of the
/// architecture; empty options where the default was not slower than anything. Null for no entry.
std::optional<driver::OptionSet> FindTunedOptions(const Program& program, driver::Target target,
                                                  const std::string& arch);

}  // namespace stencilgen::suite
