#pragma once

#include <functional>

#include "support/test_program.h"

namespace stencilgen::testing {

/// Makes a failing program smaller as long as `fails` says that it still fails: drops whole
/// stencils, loops, calls, statements and declarations, then runs, then summands of expressions,
/// then halves sizes and drops features of the schedule, until nothing more can go.
/// Requires: fails(program).
TestProgram Shrink(TestProgram program, const std::function<bool(const TestProgram&)>& fails);

}  // namespace stencilgen::testing
