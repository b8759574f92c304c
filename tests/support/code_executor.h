#pragma once

#include <cstdint>
#include <string>

#include "driver/code_options.h"
#include "kernel/execute.h"
#include "plan/plan.h"
#include "support/prng.h"
#include "support/program_run.h"

namespace stencilgen::testing {

/// Orders alone of threads and turns.
kernel::ExecuteOptions DrawOrder(Prng* prng);

/// Orders of threads and turns, lanes and grids that differ from seed to seed.
kernel::ExecuteOptions DrawExecution(Prng* prng);

/// Lowers the plan's kernels to structured code of the processor, verifies all of it, and runs the
/// plan's steps with kernel::Execute for each kernel. Returns why that does not give what the
/// interpreter computed, bit for bit; empty where it does. Requires: `codegen.fp` is Strict.
std::string CheckNests(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options);

/// The tiles of a loop's turns: how many a wavefront has, how wide strips across them are,
/// and how many threads are said to share them.
struct BandSizes {
  std::int64_t tiles = 1, strip = 1, threads = 1;
};
/// The same with loops in tiles of turns where the plan has bands. `turns`: raised by those that
/// bands compute.
std::string CheckBands(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options,
                       const BandSizes& sizes, std::int64_t& turns);

/// The same of loops in hexagons and other kernels for a device, started as their launches say.
/// `turns`: raised by those that hexagons compute; `counters`: by what these do.
std::string CheckHexagons(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                          const ProgramRun& run, const kernel::ExecuteOptions& options,
                          std::int64_t& turns, kernel::ExecuteCounters& counters);

/// The same of kernels for a device, started as their launches say.
std::string CheckGrids(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options);

}  // namespace stencilgen::testing
