#pragma once

#include <optional>
#include <vector>

#include "kernel/module.h"
#include "lower/cpp/nest_parts.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cpp {

/// The bands of a plan's loops as code.
struct LoweredBands {
  /// The boxes of the kernels in bands, each once, and a function for each band, which runs all
  /// turns of its loop: wavefronts of tiles one after the other, the tiles of a wavefront in
  /// parallel. With those of single turns.
  std::vector<kernel::Function> functions;
  /// By band: the call of its single turn, where it has one.
  std::vector<std::optional<kernel::CallStmt>> singles;
  /// By band, in the order of the plan's loops, without `turns`, `after` and `otherwise`.
  std::vector<kernel::BandStep> steps;
};

LoweredBands LowerBands(const ProgramModel& model);

}  // namespace stencilgen::lower::cpp
