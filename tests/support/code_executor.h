#pragma once

#include <string>

#include "kernel/execute_module.h"
#include "support/prng.h"
#include "support/program_run.h"

namespace stencilgen::testing {

/// Orders alone of threads and turns.
kernel::ExecuteOptions DrawOrder(Prng* prng);

/// Orders of threads and turns, lanes and grids that differ from seed to seed.
kernel::ExecuteOptions DrawExecution(Prng* prng);

/// Runs the module as the run says; it may compute with values that nobody set. Requires:
/// kernel::Verify(module) is empty.
kernel::ModuleResult RunModule(const kernel::Module& module, const ProgramRun& run,
                               const kernel::ModuleOptions& options);

/// Why that is not what the interpreter computed, bit for bit; empty where it is.
std::string CompareRun(const kernel::Module& module, const ProgramRun& run,
                       const kernel::ModuleResult& result);

/// Verifies the module, runs it, and says what is wrong; empty where nothing is. `result`: gets
/// what the run gave, where one was made. Requires: the module is strict.
std::string CheckModule(const kernel::Module& module, const ProgramRun& run,
                        const kernel::ModuleOptions& options,
                        kernel::ModuleResult* result = nullptr);

}  // namespace stencilgen::testing
