#pragma once

#include <string>
#include <variant>

#include "machine/cpu.h"

namespace stencilgen::driver {

/// Describes this machine's CPU by what the system says and by loops that are compiled as generated
/// code is, timed with one thread and with one on each core, pinned, in large pages, for about so
/// many seconds. `threads`: at most so many at a time; 0: all cores. An error says why it cannot be
/// done: no compiler, no memory.
std::variant<machine::Cpu, std::string> MeasureMachine(double seconds, int threads);

}  // namespace stencilgen::driver
