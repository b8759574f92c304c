#pragma once

#include <map>
#include <set>
#include <string>
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

/// `Global<const double> u`, `const double alpha`, `const Index N`: the kernel's parameters for
/// these; and the arguments of a launch, in the same order. Constant memory is no parameter.
std::vector<std::string> ParametersOf(const ProgramModel& model, const KernelUses& uses);
std::vector<std::string> ArgumentsOf(const ProgramModel& model, const KernelUses& uses);

}  // namespace stencilgen::codegen::cuda
