#pragma once

#include <string>

#include "codegen/codegen.h"
#include "kernel/execute.h"
#include "plan/plan.h"
#include "support/program_run.h"

namespace stencilgen::testing {

/// Lowers the plan's kernels to structured code of the processor, verifies all of it, and runs the
/// plan's steps with kernel::Execute for each kernel. Returns why that does not give what the
/// interpreter computed, bit for bit; empty where it does. Requires: `codegen.fp` is Strict.
std::string CheckNests(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options);

/// The same of kernels for a device, started as their launches say.
std::string CheckGrids(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options);

}  // namespace stencilgen::testing
