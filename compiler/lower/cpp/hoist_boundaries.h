#pragma once

#include "kernel/code.h"
#include "lower/names.h"

namespace stencilgen::lower::cpp {

/// What boundary modes make of an index is computed once for all points of a loop that share it, a
/// row's above all: `u[(WrapIndex(k + 1, L) * M + j) * N + i]` in a loop over i becomes
/// `u[row + i]`, behind `const Index row = (WrapIndex(k + 1, L) * M + j) * N;` before the loop, and
/// `IsInside(k + 1, L) ? u[c + M * N] : 0` a choice by a truth from before it. Compilers neither
/// take branches out of loops reliably nor put loops with branches into vectors.
///
/// Parallel loops keep what they have. `scope`: names around the function.
/// Ensures: a function without boundary modes is as before.
void HoistBoundaries(const NameScope& scope, kernel::Function& function);

}  // namespace stencilgen::lower::cpp
