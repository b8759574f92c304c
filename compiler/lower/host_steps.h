#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernel/module.h"
#include "lower/program_model.h"

namespace stencilgen::lower {

/// Of a loop in hexagons: its kernel among the module's, and what counts the launches.
struct HexagonLaunch {
  std::size_t kernel = 0;
  kernel::VarRef phase;
};

/// What steps start.
struct StepKernels {
  std::vector<std::size_t> numbers;  ///< by kernel of the plan: among the module's
  /// Of the loops that have a band, in their order; for the host and for a device.
  std::vector<kernel::BandStep> bands;
  /// Of the same: the kernel of a single turn, where they have one, among the module's.
  std::vector<std::optional<std::size_t>> singles;
  std::vector<HexagonLaunch> hexagons;
};

/// The plan's steps as the host takes them. On a host that reads the program's memory scalars are
/// computed from it; for a device elements are read first.
kernel::Steps LowerSteps(const ProgramModel& model, kernel::Target target,
                         const StepKernels& kernels);

}  // namespace stencilgen::lower
