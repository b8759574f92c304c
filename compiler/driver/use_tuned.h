#pragma once

#include <optional>
#include <string>
#include <variant>

#include "driver/pipeline.h"
#include "driver/tuning_db.h"

namespace stencilgen::driver {

/// The entry for a command line: the same meaning of the program, target, machine, options given by
/// hand and version of stencilgen, and the same values of the parameters that sizes of arrays
/// depend on, as far as the command line or a default says them. Of several the one with the same
/// values of all parameters, then the one for the largest sizes, then the newest. Null for none.
/// `device`: of the CPU; for CUDA the architecture counts, and `device` may be empty.
const TuningEntry* FindTuned(const TuningDatabase& database, const Options& options,
                             const ProgramIdentity& identity, Target target,
                             const std::string& arch, const std::string& device);

/// Where the tuning database has something for the command line: takes it into the options and the
/// pipeline's. `note`: what to tell the user, empty where nothing was taken; `gpu_arch`: of the GPU
/// that is there, where it is that the code is for. Where nothing says which GPU that is, it is the
/// default one, or else the only one for which the program was tuned, which is then the options'.
/// An error where the database cannot be read.
std::optional<UsageError> UseTuned(Options& options, const graph::Program& program, Target target,
                                   const std::string& gpu_arch, PipelineOptions& pipeline,
                                   std::string& note);

}  // namespace stencilgen::driver
