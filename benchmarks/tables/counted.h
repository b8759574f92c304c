#pragma once

#include "graph/linear.h"
#include "subject.h"
#include "tools/run/emulator_control.h"

namespace stencilgen::tables {

/// What a run of the subject on the emulator counts; all inputs are 0.5. Ends the process where it
/// cannot be run. `sizes`: by parameter.
driver::Counters CountRun(const Subject& subject, const graph::ParameterValues& sizes);

}  // namespace stencilgen::tables
