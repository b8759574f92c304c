#include "codegen/cpp/print_function.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace stencilgen::codegen::cpp {
namespace {

std::string ParameterText(const kernel::Argument& argument) {
  const kernel::Var& var = *argument.var;
  const std::string_view type = ElementText(var);
  if (var.storage == kernel::Storage::Value) return fmt::format("const {} {}", type, var.name);
  return fmt::format("{}{}*{} {}", argument.written ? "" : "const ", type,
                     argument.read && argument.written ? "" : " __restrict__", var.name);
}

}  // namespace

void PrintFunction(CodeWriter& writer, const kernel::Function& function) {
  for (const std::string& comment : function.comments) writer.Line("// {}", comment);
  std::vector<std::string> parameters;
  for (const kernel::Argument& argument : function.arguments) {
    parameters.push_back(ParameterText(argument));
  }
  CodeWriter body;
  kernel::Print(body, function.body, function.target);
  WriteCall(writer, fmt::format("static void {}", function.name), parameters, " {");
  WriteIndented(writer, body.str());
  writer.Line("}}");
}

}  // namespace stencilgen::codegen::cpp
