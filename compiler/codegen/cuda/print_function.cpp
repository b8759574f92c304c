#include "codegen/cuda/print_function.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace stencilgen::codegen::cuda {
namespace {

std::string_view PointerText(const kernel::Argument& argument, bool loads_in_order) {
  if (loads_in_order) return "GlobalInOrder";
  return argument.read && argument.written ? "GlobalInOut" : "Global";
}

std::string ParameterText(const kernel::Argument& argument, bool loads_in_order) {
  const kernel::Var& var = *argument.var;
  const std::string_view type = ElementText(var);
  if (var.storage == kernel::Storage::Value) return fmt::format("const {} {}", type, var.name);
  return fmt::format("{}<{}{}> {}", PointerText(argument, loads_in_order),
                     argument.written ? "" : "const ", type, var.name);
}

/// The number of blocks is CUDA's: asked for wavefronts, AMD's compiler spills where it need not.
std::string HipLimitText(const kernel::Function& function) {
  std::string text = fmt::format("__launch_bounds__({})", function.threads);
  if (function.registers > 0) {
    text += fmt::format(" __attribute__((amdgpu_num_vgpr({})))", function.registers);
  }
  return text;
}

/// What the compiler may assume or must keep to; CUDA takes one of the two. Asked for a number of
/// blocks, ptxas takes all registers that those leave, and may spill where it need not.
std::string LimitText(const kernel::Function& function, GpuLanguage language) {
  if (language == GpuLanguage::Hip) return HipLimitText(function);
  if (function.registers > 0) return fmt::format("__maxnreg__({})", function.registers);
  return function.blocks > 0
             ? fmt::format("__launch_bounds__({}, {})", function.threads, function.blocks)
             : fmt::format("__launch_bounds__({})", function.threads);
}

}  // namespace

void PrintFunction(CodeWriter& writer, const kernel::Function& function, GpuLanguage language) {
  for (const std::string& comment : function.comments) writer.Line("// {}", comment);
  std::vector<std::string> parameters;
  for (const kernel::Argument& argument : function.arguments) {
    parameters.push_back(ParameterText(argument, function.loads_in_order));
  }
  if (function.vectors != nullptr) writer.Line("template <bool {}>", function.vectors->name);
  if (function.either_index) writer.Line("template <typename Index>");
  CodeWriter body;
  kernel::Print(body, function.body, function.target);
  WriteCall(
      writer,
      fmt::format("static __global__ void {} {}", LimitText(function, language), function.name),
      parameters, " {");
  WriteIndented(writer, body.str());
  writer.Line("}}");
}

}  // namespace stencilgen::codegen::cuda
