#pragma once

#include "lower/cpp/nest_parts.h"

namespace stencilgen::lower::cpp {

/// A function with the loops of a kernel, in parallel over the outermost one; compilers vectorise
/// the innermost. Operators of the kernel share the loops. With `--unroll` loops take blocks of
/// points. Where boundary modes are about the last iterator, the inside of each row has a loop of
/// its own. A box is computed by the calling thread.
LoweredNest LowerLoopNest(const ProgramModel& model, plan::KernelId kernel, NestPoints points);

}  // namespace stencilgen::lower::cpp
