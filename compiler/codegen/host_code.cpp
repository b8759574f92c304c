#include "codegen/host_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/gpu_names.h"
#include "support/comment_text.h"
#include "support/literal_text.h"
#include "support/operators.h"

namespace stencilgen::codegen {
namespace {

using kernel::Array;
using kernel::Buffer;
using kernel::Expr;
using kernel::Module;

std::string MaybeUnused(bool unused) {
  return unused ? "[[maybe_unused]] " : "";
}

/// The function refers to the array.
bool Touches(const Module& module, HostFunction function, const Array& array) {
  return function == HostFunction::Device ? module.Uses(array) : module.TouchesHost(array);
}

/// What the function may not write.
bool IsConst(const Module& module, HostFunction function, const Array& array) {
  return !array.copy_out && !(function == HostFunction::Device && module.Writes(array));
}

}  // namespace

std::string ElementType(const Buffer& buffer) {
  return fmt::format("{}{}", buffer.written ? "" : "const ", CppName(buffer));
}

std::string ShapeText(const std::vector<Expr>& extents) {
  std::vector<std::string> texts;
  texts.reserve(extents.size());
  for (const Expr& extent : extents) texts.push_back(kernel::Print(extent));
  return fmt::format("Shape({})", fmt::join(texts, ", "));
}

std::string MemberShapeText(const std::vector<Expr>& extents) {
  std::vector<Expr> members;
  members.reserve(extents.size());
  for (const Expr& extent : extents) {
    members.push_back(kernel::Renamed(extent, [](const kernel::VarRef& parameter) {
      return kernel::MakeVar(fmt::format("program.{}", parameter->name), parameter->type);
    }));
  }
  return ShapeText(members);
}

std::vector<std::string> FunctionParameters(const Module& module, const FileOptions& options,
                                            HostFunction function, bool mark_unused) {
  std::vector<std::string> parameters;
  for (const Array& array : module.arrays) {
    if (array.IsScalar()) {
      parameters.push_back(fmt::format("{} {}", CppName(array), array.name));
      continue;
    }
    const bool used = Touches(module, function, array);
    parameters.push_back(fmt::format("{}{}{}* {}", MaybeUnused(mark_unused && !used),
                                     IsConst(module, function, array) ? "const " : "",
                                     CppName(array), array.name));
  }
  for (const kernel::Parameter& parameter : module.parameters) {
    parameters.push_back(fmt::format("int {}", parameter.var->name));
  }
  // The header must do without CUDA's own, which may be included as well.
  if (function == HostFunction::Device)
    parameters.push_back(fmt::format("struct {}* stream", StreamStruct(options.language)));
  return parameters;
}

std::string Linkage(const FileOptions& options) {
  return options.exported ? "extern \"C\"" : "[[maybe_unused]] static";
}

std::string FunctionSignature(const Module& module, const FileOptions& options,
                              HostFunction function) {
  CodeWriter writer;
  WriteCall(writer,
            fmt::format("{} int {}{}", Linkage(options), options.function,
                        function == HostFunction::Device ? "_device" : ""),
            FunctionParameters(module, options, function, true), " {");
  return writer.str();
}

std::string MemberDeclarations(const Module& module) {
  CodeWriter writer;
  for (const kernel::Parameter& parameter : module.parameters) {
    writer.Line("long long {} = 0;", parameter.var->name);
  }
  for (const auto& [var, type] : module.scalars) {
    writer.Line("{} {} = 0;", ToString(type), var->name);
  }
  for (const kernel::VarRef& turn : module.turns) {
    writer.Line("long long {} = 0;  // the turn of a loop", turn->name);
  }
  for (const kernel::VarRef& stages : module.stages) {
    writer.Line("long long {} = 0;  // of a launch: stages of the pipeline that have turns",
                stages->name);
  }
  for (const Buffer& buffer : module.buffers) {
    if (!buffer.used) continue;
    writer.Line("{}* {} = nullptr;{}", ElementType(buffer), buffer.name(),
                buffer.scratch ? "  // scratch" : "");
  }
  return writer.str();
}

std::string MemberAssignments(const Module& module) {
  CodeWriter writer;
  for (const kernel::Parameter& parameter : module.parameters) {
    writer.Line("program.{0} = {0};", parameter.var->name);
  }
  for (const Array& array : module.arrays) {
    if (array.IsScalar()) writer.Line("program.{0} = {0};", array.name);
  }
  return writer.str();
}

std::string ArgumentChecks(const Module& module) {
  CodeWriter writer;
  for (const kernel::Parameter& parameter : module.parameters) {
    const std::string& name = parameter.var->name;
    if (parameter.fixed) {
      const auto check = writer.Block("if ({} != {})", name, IndexText(*parameter.fixed));
      writer.Line("return error.Fail(kBadArgument,");
      writer.Line(
          "                  \"parameter {} was fixed at {} by the compiler, not %lld\", {});",
          parameter.source_name, *parameter.fixed, name);
      continue;
    }
    const auto check = writer.Block("if ({} < 1)", name);
    writer.Line(
        "return error.Fail(kBadArgument, \"parameter {} must be at least 1, not %lld\", {});",
        parameter.source_name, name);
  }
  for (const kernel::TurnCount& count : module.counts) {
    const auto check = writer.Block("if ({} < 0)", kernel::Print(count.value, 9));
    const std::string value = kernel::Print(count.value);
    writer.Line(
        "return error.Fail(kBadArgument, \"the iteration count {} is negative: %lld\", {});",
        count.source,
        kernel::NumberOf(count.value) ? fmt::format("static_cast<long long>({})", value) : value);
  }
  return writer.str();
}

std::string NullChecks(const Module& module, HostFunction function) {
  CodeWriter writer;
  for (const Array& array : module.arrays) {
    if (!Touches(module, function, array)) continue;
    const auto check = writer.Block("if ({} == nullptr)", array.name);
    writer.Line("error.Fail(kBadArgument, \"array {} is a null pointer\");", array.source_name);
    writer.Line("return error.status();");
  }
  return writer.str();
}

std::string PartPointers(const Module& module, HostFunction function) {
  CodeWriter writer;
  for (const Array& array : module.arrays) {
    if (!array.HasParts()) continue;
    for (std::size_t k = 0; k < array.buffers.size(); ++k) {
      const Buffer& part = module.buffers[array.buffers[k]];
      if (function == HostFunction::Device ? !part.used : !part.TouchesHost()) continue;
      writer.Line("{}{}* const {} = Part({}, {}, {});",
                  IsConst(module, function, array) ? "const " : "", CppName(array), part.name(),
                  array.name, k, ShapeText(part.extents));
    }
  }
  return writer.str();
}

std::string MoveHomeCall(const Module& module) {
  CodeWriter writer;
  writer.Line(
      "const auto allocate = [&](std::size_t bytes) {{ return memory.AllocateBytes(bytes, "
      "\"aside\"); }};");
  WriteUnless(writer, fmt::format("MoveHome(moves, {}, copy, allocate)", module.moves.size()),
              "return error.status();");
  return writer.str();
}

std::string MoveDeclarations(const Module& module) {
  CodeWriter writer;
  writer.Line("Move moves[] = {{");
  for (const kernel::Output& move : module.moves) {
    const Buffer& home = module.buffers[move.home];
    WriteWrapped(writer, fmt::format("    {{{}, program.{}, {}.Bytes(sizeof({}))}},", home.name(),
                                     module.buffers[move.buffer].name(),
                                     MemberShapeText(home.extents), CppName(home)));
  }
  writer.Line("}};");
  return writer.str();
}

std::string KernelComments(const Module& module) {
  CodeWriter writer;
  for (const std::string& summary : module.summaries) writer.Line("//   {}", summary);
  return writer.str();
}

std::string CompileCommand(GpuLanguage language, std::string_view arch) {
  if (language == GpuLanguage::Cuda) return "nvcc -std=c++17 -O3";
  return fmt::format("hipcc -std=c++17 -O3 --offload-arch={}", arch);
}

std::string CompileCommandForRanks() {
  return "nvcc -ccbin mpicxx -std=c++17 -O3";
}

std::string Banner(const Module& module, const FileOptions& options) {
  const bool cuda = module.target == kernel::Target::Device;
  CodeWriter writer;
  writer.Line("// Generated by stencilgen from {}. Do not edit: change the program instead.",
              options.source_name.empty() ? "a stencil program" : CommentText(options.source_name));
  if (!options.command_line.empty()) writer.Line("//   {}", CommentText(options.command_line, 400));
  if (!options.tuned.empty()) writer.Line("//   {}", CommentText(options.tuned, 400));
  writer.Line("//");
  if (cuda) {
    writer.Line("// Compile with `{}`.", CompileCommand(options.language, options.arch));
  } else {
    writer.Line("// Compile with `-std=c++17 -O3 -fopenmp`{}.",
                module.strict
                    ? " and `-ffp-contract=off -frounding-math`, which `--fp strict` relies on"
                    : "");
  }
  if (module.summaries.empty()) return writer.str();
  writer.Line("//");
  writer.Line("// {}:", cuda ? "Kernels" : "Loops");
  writer.Text(KernelComments(module));
  return writer.str();
}

}  // namespace stencilgen::codegen
