#pragma once

#include <vector>

#include "kernel/module.h"
#include "lower/program_model.h"

namespace stencilgen::lower {

/// The plan's steps as the host takes them. On a host that reads the program's memory scalars are
/// computed from it; for a device elements are read first.
/// `bands`: of the loops that have one, in their order.
kernel::Steps LowerSteps(const ProgramModel& model, kernel::Target target,
                         const std::vector<kernel::BandStep>& bands);

}  // namespace stencilgen::lower
