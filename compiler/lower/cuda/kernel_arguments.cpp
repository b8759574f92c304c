#include "lower/cuda/kernel_arguments.h"

namespace stencilgen::lower::cuda {

std::vector<kernel::Argument> ArgumentsOf(const ProgramModel& model, const KernelUses& uses) {
  std::vector<kernel::Argument> arguments;
  for (const auto& [buffer, use] : uses.buffers) {
    if (!model.ConstantName(buffer).empty()) continue;
    arguments.push_back({model.Var(buffer), use.read, use.written});
  }
  for (int scalar : uses.scalars) arguments.push_back({model.ScalarVar(scalar), true});
  for (graph::ParameterId id : uses.parameters) arguments.push_back({model.Var(id), true});
  return arguments;
}

}  // namespace stencilgen::lower::cuda
