#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/launch.h"
#include "lower/operator_code.h"
#include "lower/program_model.h"

namespace stencilgen::lower::cuda {

/// What the code of a kernel refers to outside itself.
struct KernelUses {
  const OperatorCode::Uses& buffers;
  const std::set<int>& scalars;
  const std::set<graph::ParameterId>& parameters;
};

/// The kernel's arguments for these. Constant memory is none.
std::vector<kernel::Argument> ArgumentsOf(const ProgramModel& model, const KernelUses& uses);

/// The values of the operator's n-th iterator in its domain, with the arguments of their ends.
kernel::LaunchRange RangeOf(const ProgramModel& model, const graph::Operator& op, std::size_t n,
                            std::string name, const kernel::VarRef& lo, const kernel::VarRef& hi);

}  // namespace stencilgen::lower::cuda
