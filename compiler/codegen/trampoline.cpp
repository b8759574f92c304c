#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/embedded_text.h"
#include "codegen/host_code.h"
#include "codegen/program_model.h"
#include "codegen/runtime_text.h"
#include "codegen/text.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

/// What the host functions are called with, taken from the trampoline's lists.
struct Arguments {
  std::vector<std::string> list;
  std::vector<Argument> arrays;
  int scalars = 0;
};

/// `array_list` is the variable that holds the pointers.
Arguments CollectArguments(const ProgramModel& model, std::string_view array_list) {
  Arguments arguments;
  for (const Argument& argument : model.arguments()) {
    const std::string_view type = ToString(model.graph().arrays[argument.array].type);
    if (argument.scalar >= 0) {
      arguments.list.push_back(
          fmt::format("*static_cast<const {}*>(scalars[{}])", type, arguments.scalars++));
      continue;
    }
    arguments.list.push_back(
        fmt::format("static_cast<{}*>({}[{}])", type, array_list, arguments.arrays.size()));
    arguments.arrays.push_back(argument);
  }
  for (std::size_t k = 0; k < model.parameters().size(); ++k) {
    arguments.list.push_back(fmt::format("parameters[{}]", k));
  }
  return arguments;
}

/// The scalars and parameters as members of Program.
std::string Assignments(const ProgramModel& model) {
  CodeWriter writer;
  for (std::size_t k = 0; k < model.parameters().size(); ++k) {
    writer.Line("program.{} = parameters[{}];", model.parameters()[k], k);
  }
  return writer.str();
}

/// Device memory for every array that the program uses, with the contents it needs.
std::string Uploads(const ProgramModel& model, const std::vector<Argument>& arrays) {
  CodeWriter writer;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const Argument& argument = arrays[k];
    if (!argument.buffer.Valid() || !model.IsUsed(argument.buffer)) continue;
    const std::string_view type = ToString(model.plan().buffers[argument.buffer].type);
    const auto block = writer.Block("");
    writer.Line("{}* array = nullptr;", type);
    const std::string shape = model.MemberShapeText(argument.buffer);
    WriteUnless(writer,
                model.NeedsContents(argument.buffer)
                    ? fmt::format("memory.Upload(array, static_cast<const {}*>(arrays[{}]), "
                                  "\"{}\", {})",
                                  type, k, argument.name, shape)
                    : fmt::format("memory.Allocate(array, \"{}\", {})", argument.name, shape),
                "return error.status();");
    writer.Line("device[{}] = array;", k);
  }
  return writer.str();
}

constexpr std::string_view kCallParameters =
    "[[maybe_unused]] void* const* arrays, [[maybe_unused]] const void* const* scalars,\n"
    "    [[maybe_unused]] const int* parameters";

std::string ReturnCall(const std::string& function, const std::vector<std::string>& arguments) {
  CodeWriter writer;
  WriteCall(writer, fmt::format("return {}", function), arguments, ";");
  return writer.str();
}

}  // namespace

std::string EmitTrampoline(const plan::Plan& plan, const CodegenOptions& options, bool cuda) {
  const ProgramModel model(plan, options);
  const Arguments host = CollectArguments(model, "arrays");
  std::map<std::string, std::string> values = {
      {"function", options.function},
      {"call_parameters", std::string(kCallParameters)},
      {"host_call", ReturnCall(options.function, host.list)},
      {"runtime", RuntimeText(cuda ? "stencilgen/cuda_timing.hpp" : "stencilgen/timing.hpp",
                              options.standalone)}};
  if (!cuda) return FillTemplate(EmbeddedText("templates/trampoline_cpp.tmpl"), values);
  Arguments device = CollectArguments(model, "device");
  device.list.emplace_back("stream");
  values["assignments"] = Assignments(model);
  values["array_count"] = fmt::format("{}", device.arrays.size());
  values["array_slots"] = fmt::format("{}", device.arrays.size() + 1);
  values["uploads"] = Uploads(model, device.arrays);
  values["device_call"] = ReturnCall(fmt::format("{}_device", options.function), device.list);
  return FillTemplate(EmbeddedText("templates/trampoline_cuda.tmpl"), values);
}

}  // namespace stencilgen::codegen
