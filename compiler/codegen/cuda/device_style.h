#pragma once

#include "codegen/operator_code.h"
#include "codegen/program_model.h"

namespace stencilgen::codegen::cuda {

/// How kernels write what every operator needs: elements in memory or constant memory, the width of
/// indices, and products by the program's floating-point mode.
OperatorStyle DeviceStyle(const ProgramModel& model);

}  // namespace stencilgen::codegen::cuda
