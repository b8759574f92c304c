#pragma once

#include <string>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "machine/cpu.h"

namespace stencilgen::driver {

/// The CPU of `--device-file`, or the default one.
const machine::Cpu& ExplainedCpu(const Options& options);

/// How the kernel's points are computed: `vectors at 4x2 points in the order of trees, tiles of 32
/// along j`. A reduction has no nest of its own: rows of points in vectors go to rows of lanes, or
/// all points to one value. Requires: the kernel has a nest.
std::string NestText(const plan::Plan& plan, const plan::Kernel& kernel);

/// What `--explain` says of a program for a CPU: for each kernel, in the order of the plan, what it
/// computes, its nest and why, the bytes that it moves and its predicted time. Lines end in a
/// newline. `cpu`: what it was planned for. Requires: chosen.nests has a report a kernel.
std::string ExplainNests(const ChosenPlan& chosen, const machine::Cpu& cpu);

}  // namespace stencilgen::driver
