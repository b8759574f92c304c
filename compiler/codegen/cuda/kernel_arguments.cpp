#include "codegen/cuda/kernel_arguments.h"

#include <fmt/format.h>

namespace stencilgen::codegen::cuda {

std::vector<std::string> ParametersOf(const ProgramModel& model, const KernelUses& uses) {
  std::vector<std::string> parameters;
  for (const auto& [buffer, use] : uses.buffers) {
    if (!model.ConstantName(buffer).empty()) continue;
    const bool in_out = use.read && use.written;
    parameters.push_back(
        fmt::format("{}<{}{}> {}", in_out ? "GlobalInOut" : "Global", use.written ? "" : "const ",
                    ToString(model.plan().buffers[buffer].type), model.Name(buffer)));
  }
  for (int scalar : uses.scalars) {
    const auto& variable = model.plan().scalars[static_cast<std::size_t>(scalar)];
    parameters.push_back(
        fmt::format("const {} {}", ToString(variable.second), model.Scalar(scalar)));
  }
  for (graph::ParameterId id : uses.parameters) {
    parameters.push_back(fmt::format("const Index {}", model.parameters()[id.index]));
  }
  return parameters;
}

std::vector<std::string> ArgumentsOf(const ProgramModel& model, const KernelUses& uses) {
  std::vector<std::string> arguments;
  for (const auto& [buffer, use] : uses.buffers) {
    if (model.ConstantName(buffer).empty()) arguments.push_back(model.Name(buffer));
  }
  for (int scalar : uses.scalars) arguments.push_back(model.Scalar(scalar));
  for (graph::ParameterId id : uses.parameters) arguments.push_back(model.parameters()[id.index]);
  return arguments;
}

}  // namespace stencilgen::codegen::cuda
