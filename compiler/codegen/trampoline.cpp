#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/embedded_text.h"
#include "codegen/gpu_names.h"
#include "codegen/host_code.h"
#include "codegen/runtime_text.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using kernel::Array;
using kernel::Module;

/// What the host functions are called with, taken from the trampoline's lists.
struct Arguments {
  std::vector<std::string> list;
  std::vector<const Array*> arrays;
  int scalars = 0;
};

/// `array_list` is the variable that holds the pointers.
Arguments CollectArguments(const Module& module, std::string_view array_list) {
  Arguments arguments;
  for (const Array& array : module.arrays) {
    const std::string_view type = CppName(array);
    if (array.IsScalar()) {
      arguments.list.push_back(
          fmt::format("*static_cast<const {}*>(scalars[{}])", type, arguments.scalars++));
      continue;
    }
    arguments.list.push_back(
        fmt::format("static_cast<{}*>({}[{}])", type, array_list, arguments.arrays.size()));
    arguments.arrays.push_back(&array);
  }
  for (std::size_t k = 0; k < module.parameters.size(); ++k) {
    arguments.list.push_back(fmt::format("parameters[{}]", k));
  }
  return arguments;
}

/// The scalars and parameters as members of Program.
std::string Assignments(const Module& module) {
  CodeWriter writer;
  for (std::size_t k = 0; k < module.parameters.size(); ++k) {
    writer.Line("program.{} = parameters[{}];", module.parameters[k].var->name, k);
  }
  return writer.str();
}

/// Device memory for every array that the program uses, with the contents it needs.
std::string Uploads(const Module& module, const std::vector<const Array*>& arrays) {
  CodeWriter writer;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (!module.Uses(*arrays[k])) continue;
    const std::string_view type = CppName(*arrays[k]);
    const auto block = writer.Block("");
    writer.Line("{}* array = nullptr;", type);
    const std::string shape = MemberShapeText(arrays[k]->extents);
    WriteUnless(writer,
                module.NeedsContents(*arrays[k])
                    ? fmt::format("memory.Upload(array, static_cast<const {}*>(arrays[{}]), "
                                  "\"{}\", {})",
                                  type, k, arrays[k]->name, shape)
                    : fmt::format("memory.Allocate(array, \"{}\", {})", arrays[k]->name, shape),
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

std::string EmitTrampoline(const Module& module, const FileOptions& options) {
  const bool cuda = module.target == kernel::Target::Device;
  const Arguments host = CollectArguments(module, "arrays");
  std::map<std::string, std::string> values = {
      {"function", options.function},
      {"call_parameters", std::string(kCallParameters)},
      {"host_call", ReturnCall(options.function, host.list)},
      {"runtime", RuntimeText(cuda ? "stencilgen/cuda_timing.hpp" : "stencilgen/timing.hpp",
                              options.standalone, options.language)}};
  if (!cuda) return FillTemplate(EmbeddedText("templates/trampoline_cpp.tmpl"), values);
  Arguments device = CollectArguments(module, "device");
  device.list.emplace_back("stream");
  values["assignments"] = Assignments(module);
  values["array_count"] = fmt::format("{}", device.arrays.size());
  values["array_slots"] = fmt::format("{}", device.arrays.size() + 1);
  values["uploads"] = Uploads(module, device.arrays);
  values["device_call"] = ReturnCall(fmt::format("{}_device", options.function), device.list);
  return FillTemplate(InLanguage(EmbeddedText("templates/trampoline_cuda.tmpl"), options.language),
                      values);
}

}  // namespace stencilgen::codegen
