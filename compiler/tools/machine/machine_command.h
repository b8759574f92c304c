#pragma once

#include <string>

#include "driver/options.h"
#include "machine/cpu.h"

namespace stencilgen::driver {

/// `stencilgen machine`. Returns the exit status.
int MachineCommand(const Options& options);

/// The description as a table for people. Lines end in a newline.
std::string MachineTable(const machine::Cpu& cpu);

}  // namespace stencilgen::driver
