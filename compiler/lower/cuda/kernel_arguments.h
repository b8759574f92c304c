#pragma once

#include <map>
#include <set>
#include <vector>

#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// What the code of a kernel refers to outside itself.
struct KernelUses {
  const std::map<plan::BufferId, OperatorCode::Use>& buffers;
  const std::set<int>& scalars;
  const std::set<graph::ParameterId>& parameters;
};

/// The kernel's arguments for these. Constant memory is none.
std::vector<kernel::Argument> ArgumentsOf(const ProgramModel& model, const KernelUses& uses);

}  // namespace stencilgen::lower::cuda
