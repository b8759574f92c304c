#pragma once

#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// How kernels write what every operator needs: elements in memory or constant memory, the width of
/// indices, and products by the program's floating-point mode.
OperatorStyle DeviceStyle(const ProgramModel& model);

}  // namespace stencilgen::lower::cuda
