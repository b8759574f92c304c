#include "codegen/embedded_block.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "codegen/runtime_text.h"
#include "support/check.h"

namespace stencilgen::codegen {
namespace {

using kernel::Array;

/// The text as it stands in a string literal.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append(fmt::format("\\{:03o}", byte));
    } else {
      out.push_back(c);
    }
  }
  return out.append("\"");
}

class BlockPrinter {
 public:
  BlockPrinter(const kernel::Module& module, const FileOptions& options, const BlockPlace& place)
      : module_(module), options_(options), place_(place) {
    STENCILGEN_CHECK(options.part && place.source != nullptr);
  }

  std::vector<std::string_view> Runtime() const { return RuntimeHeaders(module_, options_); }

  std::string Definitions() const {
    CodeWriter writer;
    writer.Line("// The block at line {}.", LineOf(place_.begin));
    const std::string kernels = KernelComments(module_);
    if (!kernels.empty()) writer.Line("//");
    writer.Text(kernels);
    writer.Line();
    std::string program = EmitFile(module_, options_);
    program.erase(0, std::min(program.find_first_not_of('\n'), program.size()));
    if (options_.exported) writer.Text(program);
    writer.Line("{}namespace stencilgen_blocks {{", options_.exported ? "\n" : "");
    writer.Line("namespace {{");
    writer.Line();
    if (!options_.exported) writer.Text(program);
    writer.Line();
    WriteFunction(writer);
    writer.Line();
    writer.Line("}}  // namespace");
    writer.Line("}}  // namespace stencilgen_blocks");
    return writer.str();
  }

  std::string Call() const {
    std::string out;
    const auto line = [&](Span at, std::string_view text) {
      out.append(LineDirective(LineOf(at), place_.file)).push_back('\n');
      out.append(place_.indent).append(text).push_back('\n');
    };
    line(place_.begin, "{");
    std::vector<std::string> arguments;
    for (const Array& array : module_.arrays) {
      if (!IsBound(array)) continue;
      const std::string& name = array.source_name;
      const std::string bound = Bound(name);
      if (array.IsScalar()) {
        line(array.declared,
             Check(Trait("kBindsScalar", bound), bound, "a scalar", "an arithmetic variable"));
        arguments.push_back(
            fmt::format("::stencilgen::embedded::BindScalar<{}>({})", ToString(array.type), bound));
        continue;
      }
      const std::string element = ElementType(array);
      line(array.declared,
           Check(fmt::format("decltype(::stencilgen::embedded::BindsArray<{}>({}))::value", element,
                             bound),
                 bound, "an array",
                 fmt::format("a pointer to {0}, or a contiguous array of {0}, not one of "
                             "variable length",
                             array.copy_out ? fmt::format("{} that is not const", element)
                                            : ToString(array.type))));
      arguments.push_back(fmt::format("::stencilgen::embedded::BindArray<{}>({})", element, bound));
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      const std::string bound = Bound(parameter.source_name);
      line(parameter.declared, Check(Trait("kBindsParameter", bound), bound, "a parameter",
                                     "a variable of an integer type"));
      arguments.push_back(fmt::format("::stencilgen::embedded::BindParameter({})", bound));
    }
    if (!place_.condition.empty()) {
      line(place_.begin, fmt::format("  if ({}) {{", place_.condition));
    }
    line(place_.begin,
         fmt::format("  {}::stencilgen_blocks::{}({});", place_.condition.empty() ? "" : "  ",
                     FunctionName(), fmt::join(arguments, ", ")));
    for (const std::string& statement : place_.after) {
      line(place_.begin, fmt::format("  {}{}", place_.condition.empty() ? "" : "  ", statement));
    }
    if (!place_.otherwise.empty()) {
      out.append(place_.indent).append("  } else {\n");
      out.append(LineDirective(LineOf(place_.otherwise_at), place_.file)).push_back('\n');
      out.append(place_.otherwise);
      if (out.back() != '\n') out.push_back('\n');
    }
    if (!place_.condition.empty()) line(place_.begin, "  }");
    out.append(place_.indent).append("}\n");
    return out;
  }

  /// Those that are not renamed: names of the standard library's macros are.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const std::string& source) {
      if (name == source) names.push_back(name);
    };
    for (const Array& array : module_.arrays) add(array.name, array.source_name);
    for (const kernel::Parameter& parameter : module_.parameters) {
      add(parameter.var->name, parameter.source_name);
    }
    return names;
  }

 private:
  int LineOf(Span span) const { return CompilerLine(place_.source->text(), span.begin); }

  /// What a name of the program is in the file.
  std::string Bound(const std::string& name) const {
    const auto found = place_.bindings.find(name);
    return found == place_.bindings.end() ? name : found->second;
  }

  std::string FunctionName() const { return fmt::format("{}_block", options_.function); }

  /// Other arrays stay on the device: no variable belongs to them.
  bool IsBound(const Array& array) const {
    return array.IsScalar() || array.copy_in || array.copy_out || array.constant ||
           (array.buffer && module_.buffers[*array.buffer].TouchesHost());
  }

  static std::string ElementType(const Array& array) {
    return fmt::format("{}{}", array.copy_out ? "" : "const ", ToString(array.type));
  }

  static std::string Trait(std::string_view trait, const std::string& name) {
    return fmt::format("::stencilgen::embedded::{}<decltype(({}))>", trait, name);
  }

  static std::string Check(const std::string& condition, const std::string& name,
                           std::string_view kind, std::string_view wanted) {
    return fmt::format("  static_assert({}, \"`{}` is {} of the stencil program: it needs {}\");",
                       condition, name, kind, wanted);
  }

  /// The function that the block's place calls: it throws what the program only reports.
  void WriteFunction(CodeWriter& writer) const {
    const std::string place =
        Quoted(fmt::format("{}:{}", options_.source_name, LineOf(place_.begin)));
    std::vector<std::string> parameters;
    std::vector<std::string> arguments;
    CodeWriter checks;
    for (const Array& array : module_.arrays) {
      if (!IsBound(array)) {
        arguments.emplace_back("nullptr");
      } else if (array.IsScalar()) {
        parameters.push_back(fmt::format("{} {}", ToString(array.type), array.name));
        arguments.push_back(array.name);
      } else {
        parameters.push_back(
            fmt::format("stencilgen::embedded::Array<{}> {}", ElementType(array), array.name));
        arguments.push_back(fmt::format("{}.data", array.name));
        if (!array.buffer) continue;
        WriteCall(checks, "stencilgen::embedded::CheckSize",
                  {place, Quoted(array.source_name), array.name,
                   fmt::format("stencilgen::{}", ShapeText(array.extents))},
                  ";");
      }
    }
    for (const kernel::Parameter& parameter : module_.parameters) {
      const std::string& name = parameter.var->name;
      parameters.push_back(fmt::format("long long {}", name));
      arguments.push_back(fmt::format("stencilgen::embedded::ToParameter({}, {}, {})", place,
                                      Quoted(parameter.source_name), name));
    }
    WriteCall(writer, fmt::format("[[maybe_unused]] static void {}", FunctionName()), parameters,
              " {");
    CodeWriter body;
    body.Text(checks.str());
    WriteWrapped(body,
                 fmt::format("stencilgen::embedded::CheckStatus({}, {}({}), {}_error);", place,
                             options_.function, fmt::join(arguments, ", "), options_.function));
    WriteIndented(writer, body.str());
    writer.Line("}}");
  }

  const kernel::Module& module_;
  const FileOptions& options_;
  const BlockPlace& place_;
};

}  // namespace

std::string LineDirective(int line, std::string_view file) {
  return fmt::format("#line {} {}", line, Quoted(file));
}

int CompilerLine(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return static_cast<int>(std::count(text.begin(), end, '\n')) + 1;
}

EmbeddedBlockText EmitEmbeddedBlock(const kernel::Module& module, const FileOptions& options,
                                    const BlockPlace& place) {
  const BlockPrinter printer(module, options, place);
  return {printer.Definitions(), printer.Call(), printer.Names(), printer.Runtime()};
}

}  // namespace stencilgen::codegen
