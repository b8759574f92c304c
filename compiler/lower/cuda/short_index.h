#pragma once

#include <vector>

#include "lower/operator_code.h"
#include "lower/program_model.h"

/// Kernels without a tile that are there with 32-bit positions as well, which their launch asks
/// for where the sizes allow it: on an H200 they take up to 15 % less time.
namespace stencilgen::lower::cuda {

/// True where sizes that are known when the kernel starts say whether 32 bits hold all that it
/// computes positions from: those of its arrays, as ShapesOf has them, and its ranges. Not where
/// the program's own sizes say so before.
bool HasEitherIndex(const ProgramModel& model, plan::KernelId kernel);

/// Extents of the arrays that these uses of the kernel are of, each once. They are larger by twice
/// the largest offset of an index: a position is a sum of an iterator's place and of offsets, in
/// any order, and no part of the sum is beyond such an array.
std::vector<std::vector<kernel::Expr>> ShapesOf(const ProgramModel& model, plan::KernelId kernel,
                                                const OperatorCode::Uses& uses);

}  // namespace stencilgen::lower::cuda
