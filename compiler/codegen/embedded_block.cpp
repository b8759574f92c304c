#include "codegen/embedded_block.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "codegen/host_code.h"
#include "codegen/program_model.h"
#include "codegen/runtime_text.h"
#include "codegen/text.h"
#include "support/check.h"

namespace stencilgen::codegen {
namespace {

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
  BlockPrinter(const plan::Plan& plan, const CodegenOptions& options, const BlockPlace& place,
               bool cuda)
      : model_(plan, options), options_(options), place_(place), cuda_(cuda) {
    STENCILGEN_CHECK(options.part && options.source != nullptr);
  }

  std::vector<std::string_view> Runtime() const { return RuntimeHeaders(model_, cuda_); }

  std::string Definitions() const {
    CodeWriter writer;
    writer.Line("// The block at line {}.", LineOf(place_.begin));
    const std::string kernels = KernelComments(model_, cuda_);
    if (!kernels.empty()) writer.Line("//");
    writer.Text(kernels);
    writer.Line();
    std::string program =
        cuda_ ? EmitCuda(model_.plan(), options_) : EmitCpp(model_.plan(), options_);
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
    for (const Argument& argument : model_.arguments()) {
      if (!IsBound(argument)) continue;
      const graph::Array& array = model_.graph().arrays[argument.array];
      if (argument.scalar >= 0) {
        line(array.span, Check(Trait("kBindsScalar", array.name), array.name, "a scalar",
                               "an arithmetic variable"));
        arguments.push_back(fmt::format("::stencilgen::embedded::BindScalar<{}>({})",
                                        ToString(array.type), array.name));
        continue;
      }
      const std::string element = ElementType(array);
      line(array.span,
           Check(fmt::format("decltype(::stencilgen::embedded::BindsArray<{}>({}))::value", element,
                             array.name),
                 array.name, "an array",
                 fmt::format("a pointer to {0}, or a contiguous array of {0}, not one of "
                             "variable length",
                             array.copy_out ? fmt::format("{} that is not const", element)
                                            : ToString(array.type))));
      arguments.push_back(
          fmt::format("::stencilgen::embedded::BindArray<{}>({})", element, array.name));
    }
    for (const graph::Parameter& parameter : model_.graph().parameters) {
      line(parameter.span, Check(Trait("kBindsParameter", parameter.name), parameter.name,
                                 "a parameter", "a variable of an integer type"));
      arguments.push_back(fmt::format("::stencilgen::embedded::BindParameter({})", parameter.name));
    }
    line(place_.begin,
         fmt::format("  ::stencilgen_blocks::{}({});", FunctionName(), fmt::join(arguments, ", ")));
    out.append(place_.indent).append("}\n");
    return out;
  }

  /// Those that are not renamed: names of the standard library's macros are.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const std::string& source) {
      if (name == source) names.push_back(name);
    };
    for (const Argument& argument : model_.arguments()) {
      add(argument.name, model_.graph().arrays[argument.array].name);
    }
    for (const graph::ParameterId id : model_.graph().parameters.Ids()) {
      add(model_.parameters()[id.index], model_.graph().parameters[id].name);
    }
    return names;
  }

 private:
  int LineOf(Span span) const { return CompilerLine(options_.source->text(), span.begin); }

  std::string FunctionName() const { return fmt::format("{}_block", options_.function); }

  /// Other arrays stay on the device: no variable belongs to them.
  bool IsBound(const Argument& argument) const {
    const graph::Array& array = model_.graph().arrays[argument.array];
    return argument.scalar >= 0 || array.copy_in || array.copy_out || array.constant ||
           (argument.buffer.Valid() && model_.TouchesHost(argument.buffer));
  }

  static std::string ElementType(const graph::Array& array) {
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
    for (const Argument& argument : model_.arguments()) {
      const graph::Array& array = model_.graph().arrays[argument.array];
      if (!IsBound(argument)) {
        arguments.emplace_back("nullptr");
      } else if (argument.scalar >= 0) {
        parameters.push_back(fmt::format("{} {}", ToString(array.type), argument.name));
        arguments.push_back(argument.name);
      } else {
        parameters.push_back(
            fmt::format("stencilgen::embedded::Array<{}> {}", ElementType(array), argument.name));
        arguments.push_back(fmt::format("{}.data", argument.name));
        if (!argument.buffer.Valid()) continue;
        WriteCall(checks, "stencilgen::embedded::CheckSize",
                  {place, Quoted(array.name), argument.name,
                   fmt::format("stencilgen::{}", model_.ShapeText(argument.buffer))},
                  ";");
      }
    }
    for (std::size_t k = 0; k < model_.parameters().size(); ++k) {
      const std::string& name = model_.parameters()[k];
      const graph::ParameterId id{static_cast<std::uint32_t>(k)};
      parameters.push_back(fmt::format("long long {}", name));
      arguments.push_back(fmt::format("stencilgen::embedded::ToParameter({}, {}, {})", place,
                                      Quoted(model_.graph().parameters[id].name), name));
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

  ProgramModel model_;
  const CodegenOptions& options_;
  const BlockPlace& place_;
  bool cuda_;
};

}  // namespace

std::string LineDirective(int line, std::string_view file) {
  return fmt::format("#line {} {}", line, Quoted(file));
}

int CompilerLine(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return static_cast<int>(std::count(text.begin(), end, '\n')) + 1;
}

EmbeddedBlockText EmitEmbeddedBlock(const plan::Plan& plan, const CodegenOptions& options,
                                    const BlockPlace& place, bool cuda) {
  const BlockPrinter printer(plan, options, place, cuda);
  return {printer.Definitions(), printer.Call(), printer.Names(), printer.Runtime()};
}

}  // namespace stencilgen::codegen
