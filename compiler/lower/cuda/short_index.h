#pragma once

#include <vector>

#include "lower/operator_code.h"
#include "lower/program_model.h"

/// Kernels without a tile that are there with 32-bit positions as well, which their launch asks
/// for where the sizes allow it: on an H200 they take up to 15 % less time.
namespace stencilgen::lower::cuda {

/// True where 32 bits hold all that the kernel of one operator computes positions from, if they
/// hold the elements of its arrays and twice its coordinates; and where the program's sizes do not
/// say so before it runs.
bool HasEitherIndex(const ProgramModel& model, plan::KernelId kernel);

/// Extents of the arrays that these uses are of, each once.
std::vector<std::vector<kernel::Expr>> ShapesOf(const ProgramModel& model,
                                                const OperatorCode::Uses& uses);

}  // namespace stencilgen::lower::cuda
