#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/codegen.h"
#include "codegen/cuda/print_function.h"
#include "codegen/cuda/print_launch.h"
#include "codegen/embedded_text.h"
#include "codegen/gpu_names.h"
#include "codegen/host_code.h"
#include "codegen/print_steps.h"
#include "codegen/resident.h"
#include "codegen/runtime_text.h"
#include "support/check.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using kernel::Buffer;
using kernel::Module;

std::string ConstantDeclarations(const Module& module) {
  CodeWriter writer;
  for (const Buffer& buffer : module.buffers) {
    if (buffer.constant == nullptr) continue;
    writer.Line("/// Filled anew by every run.");
    writer.Line("static __constant__ {} {}[{}];", CppName(buffer), buffer.constant->name,
                buffer.elements);
    writer.Line();
  }
  if (module.HasConstants()) {
    writer.Line(
        "/// Runs use constant memory one after another; those of a graph that is captured");
    writer.Line("/// must not overlap with others.");
    writer.Line("static RunOrder order;");
    writer.Line();
  }
  return writer.str();
}

void WriteStep(CodeWriter& writer, std::string_view call) {
  WriteUnless(writer, call, "return false;");
}

/// A run's turn with constant memory, up to the end of the function.
std::string Turn(const Module& module) {
  if (!module.HasConstants()) return "";
  CodeWriter writer;
  writer.Line("RunOrder::Turn turn(order, stream);");
  WriteStep(writer, "Do(turn.Begin(), \"waiting for constant memory\")");
  return writer.str();
}

/// What kernels of a loop in graphs are given, and where such graphs are kept.
std::string GraphMembers(const Module& module) {
  if (module.graphs == 0) return "";
  std::vector<std::string> values;
  const auto add = [&](const kernel::VarRef& var) {
    values.push_back(fmt::format("BitsOf({})", var->name));
  };
  for (const kernel::Parameter& parameter : module.parameters) add(parameter.var);
  for (const auto& [var, type] : module.scalars) add(var);
  for (const kernel::VarRef& turn : module.turns) add(turn);
  for (const Buffer& buffer : module.buffers) {
    if (buffer.used) add(buffer.var);
  }
  CodeWriter writer;
  writer.Line("/// What a graph of a loop's turns is made with.");
  writer.Line("using State = std::array<unsigned long long, {}>;", values.size());
  writer.Line(
      "/// Graphs that were made before, and are kept for later runs; null: there are none.");
  writer.Line("KeptTurns<State>* kept_graphs = nullptr;");
  writer.Line();
  {
    const auto function = writer.Block("State CurrentState() const");
    WriteWrapped(writer, fmt::format("return {{{{{}}}}};", fmt::join(values, ", ")));
  }
  return writer.str();
}

/// The graphs of a run.
std::string Graphs(const Module& module) {
  if (module.graphs == 0) return "";
  CodeWriter writer;
  writer.Line("KeptTurns<State> own_graphs[{}];", module.graphs);
  writer.Line(
      "KeptTurns<State>* const graphs = kept_graphs != nullptr ? kept_graphs : own_graphs;");
  return writer.str();
}

std::string Steps(const Module& module, GpuLanguage language) {
  CodeWriter constants;
  for (const Buffer& buffer : module.buffers) {
    if (buffer.constant == nullptr) continue;
    WriteStep(constants, fmt::format("Do({0}({2}, {3}, sizeof {2}, 0, {1}, stream), "
                                     "\"filling constant memory\")",
                                     InLanguage("cudaMemcpyToSymbolAsync", language),
                                     InLanguage("cudaMemcpyDeviceToDevice", language),
                                     buffer.constant->name, buffer.name()));
  }
  StepStyle style;
  style.launch = [&](CodeWriter& writer, std::size_t kernel) {
    WriteStep(writer, fmt::format("{}()", module.launches[kernel].name));
  };
  style.copy = [](CodeWriter& writer, const std::string& function,
                  const std::vector<std::string>& arguments) {
    WriteStep(writer, fmt::format("Do({}({}, stream), \"copying {} to {}\")", function,
                                  fmt::join(arguments, ", "), arguments[1], arguments[0]));
  };
  style.read = [&](CodeWriter& writer, const kernel::ReadStep& read) {
    const Buffer& buffer = module.buffers[read.buffer];
    const bool plain = buffer.format == ElementFormat::Plain;
    writer.Line("{} {} = {};", CppName(buffer), read.var->name, plain ? "0" : "{}");
    WriteStep(writer,
              fmt::format("Do(ReadElement(&{}, {} + {}, stream), \"reading {}\")", read.var->name,
                          buffer.name(), kernel::Print(read.position), buffer.name()));
  };
  return constants.str() + Graphs(module) + StepStatements(module, style);
}

/// `if (!memory.f(...)) return error.status();`
void WriteMemoryStep(CodeWriter& writer, std::string_view function,
                     const std::vector<std::string>& arguments) {
  WriteUnless(writer, fmt::format("memory.{}({})", function, fmt::join(arguments, ", ")),
              "return error.status();");
}

std::string HostMemory(const Module& module) {
  CodeWriter writer;
  std::size_t count = 0;
  for (const Buffer& buffer : module.buffers) {
    if (!buffer.used) continue;
    ++count;
    const std::string& name = buffer.name();
    const std::string member = fmt::format("program.{}", name);
    const std::string label = fmt::format("\"{}\"", name);
    if (buffer.needs_contents) {
      WriteMemoryStep(writer, "Upload", {member, name, label, MemberShapeText(buffer.extents)});
    } else {
      WriteMemoryStep(writer, "Allocate", {member, label, MemberShapeText(buffer.extents)});
    }
  }
  if (count == 0) return "";
  return fmt::format("DeviceMemory<Allocator::Device, {}> memory(program.stream, error);\n{}",
                     count, writer.str());
}

std::string HostResults(const Module& module) {
  CodeWriter writer;
  for (const kernel::Output& result : module.results) {
    const Buffer& home = module.buffers[result.home];
    WriteMemoryStep(writer, "Download",
                    {home.name(), fmt::format("program.{}", module.buffers[result.buffer].name()),
                     MemberShapeText(home.extents)});
  }
  return writer.str();
}

std::string DeviceMemory(const Module& module) {
  CodeWriter writer;
  std::vector<const Buffer*> scratch;
  for (const Buffer& buffer : module.buffers) {
    if (!buffer.used) continue;
    if (buffer.scratch) {
      scratch.push_back(&buffer);
    } else {
      writer.Line("program.{0} = {0};", buffer.name());
    }
  }
  const std::size_t moves = module.moves.size();
  if (scratch.empty() && moves == 0) return writer.str();
  writer.Line("DeviceMemory<Allocator::StreamOrdered, {}> memory(stream, error);",
              scratch.size() + moves);
  for (const Buffer* buffer : scratch) {
    WriteMemoryStep(writer, "Allocate",
                    {fmt::format("program.{}", buffer->name()),
                     fmt::format("\"{}\"", buffer->name()), MemberShapeText(buffer->extents)});
  }
  return writer.str();
}

std::string DeviceResults(const Module& module, GpuLanguage language) {
  if (module.moves.empty()) return "";
  CodeWriter writer;
  writer.Text(MoveDeclarations(module));
  writer.Line(
      "const auto copy = [&](void* to_memory, const void* from_memory, std::size_t bytes) {{");
  writer.Line("  return Check(error,");
  writer.Line("               {},",
              InLanguage("cudaMemcpyAsync(to_memory, from_memory, bytes, cudaMemcpyDeviceToDevice, "
                         "stream)",
                         language));
  writer.Line("               \"bringing results home\");");
  writer.Line("}};");
  writer.Text(MoveHomeCall(module));
  return writer.str();
}

/// What is planned for wavefronts of 64 must not be compiled for a GPU with shorter ones.
void WriteWarpCheck(CodeWriter& writer, const Module& module, const FileOptions& options) {
  int warp = 0;
  for (const kernel::Function& function : module.functions) warp = std::max(warp, function.warp);
  if (warp <= 32 || !module.has_tiles) return;
  writer.Line("static_assert(HasWarpsOf<{}>(),", warp);
  writer.Line("              \"this is for wavefronts of {} threads, as those of {}\");", warp,
              options.arch);
  writer.Line();
}

}  // namespace

std::string EmitCuda(const Module& module, const FileOptions& options) {
  STENCILGEN_CHECK(module.target == kernel::Target::Device);
  CodeWriter kernels;
  WriteWarpCheck(kernels, module, options);
  for (const kernel::Function& function : module.functions) {
    cuda::PrintFunction(kernels, function, options.language);
    kernels.Line();
  }
  CodeWriter launchers;
  std::size_t fitted = 0;
  for (const kernel::Launch& launch : module.launches) {
    cuda::PrintLaunch(launchers, launch, fitted);
    launchers.Line();
    fitted += kernel::HasFittedChunks(launch) ? 1 : 0;
  }
  if (fitted > 0) {
    kernels.Line("/// What devices say of the kernels whose chunks are chosen when they start.");
    kernels.Line("static KernelOccupancy kernel_occupancy[{}];", fitted);
    kernels.Line();
  }
  return FillTemplate(
      InLanguage(EmbeddedText("cuda/templates/program.cu.tmpl"), options.language),
      {{"banner", options.part ? "" : Banner(module, options)},
       {"runtime", options.part ? ""
                                : RuntimeTexts(RuntimeHeaders(module, options), options.standalone,
                                               options.language)},
       {"function", options.function},
       {"linkage", Linkage(options)},
       {"index", module.short_index ? "int" : "long long"},
       {"constants", ConstantDeclarations(module)},
       {"kernels", kernels.str()},
       {"members", MemberDeclarations(module)},
       {"graph_members", GraphMembers(module)},
       {"checks", ArgumentChecks(module)},
       {"launchers", launchers.str()},
       {"turn", Turn(module)},
       {"steps", Steps(module, options.language)},
       {"assignments", MemberAssignments(module)},
       {"device_signature", FunctionSignature(module, options, HostFunction::Device)},
       {"device_null_checks",
        NullChecks(module, HostFunction::Device) + PartPointers(module, HostFunction::Device)},
       {"device_memory", DeviceMemory(module)},
       {"device_results", DeviceResults(module, options.language)},
       {"host_signature", FunctionSignature(module, options, HostFunction::Host)},
       {"host_null_checks",
        NullChecks(module, HostFunction::Host) + PartPointers(module, HostFunction::Host)},
       {"host_memory", HostMemory(module)},
       {"host_results", HostResults(module)},
       {"resident", options.resident ? ResidentDefinitions(module, options,
                                                           DeviceResults(module, options.language))
                                     : ""}});
}

}  // namespace stencilgen::codegen
