#pragma once

#include <map>
#include <set>
#include <vector>

#include "codegen/operator_code.h"
#include "codegen/program_model.h"

namespace stencilgen::codegen::cuda {

/// What the code of a kernel refers to outside itself.
struct KernelUses {
  const std::map<plan::BufferId, OperatorCode::Use>& buffers;
  const std::set<int>& scalars;
  const std::set<graph::ParameterId>& parameters;
};

/// The kernel's arguments for these. Constant memory is none.
std::vector<kernel::Argument> ArgumentsOf(const ProgramModel& model, const KernelUses& uses);

}  // namespace stencilgen::codegen::cuda
