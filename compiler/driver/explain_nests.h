#pragma once

#include <string>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "machine/cpu.h"

namespace stencilgen::driver {

/// The CPU of `--device-file`, or the default one.
const machine::Cpu& ExplainedCpu(const Options& options);

/// What `--explain` says of a program for a CPU: for each kernel, in the order of the plan, what it
/// computes, its nest and why, the bytes that it moves and its predicted time. Lines end in a
/// newline. `cpu`: what it was planned for. Requires: chosen.nests has a report a kernel.
std::string ExplainNests(const ChosenPlan& chosen, const machine::Cpu& cpu);

}  // namespace stencilgen::driver
