#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/cuda/kernel.h"
#include "codegen/cuda/print_function.h"
#include "codegen/cuda/print_launch.h"
#include "codegen/embedded_text.h"
#include "codegen/host_code.h"
#include "codegen/program_model.h"
#include "codegen/resident.h"
#include "codegen/runtime_text.h"
#include "codegen/text.h"
#include "support/text_template.h"

namespace stencilgen::codegen {
namespace {

using plan::BufferId;

std::string ConstantDeclarations(const ProgramModel& model) {
  CodeWriter writer;
  for (BufferId id : model.UsedBuffers()) {
    if (model.ConstantName(id).empty()) continue;
    const plan::Buffer& buffer = model.plan().buffers[id];
    std::int64_t elements = 1;
    for (const graph::LinearForm& extent : buffer.extents) {
      elements *= std::max<std::int64_t>(extent.constant, 0);
    }
    writer.Line("/// Filled anew by every run.");
    writer.Line("static __constant__ {} {}[{}];", ToString(buffer.type), model.ConstantName(id),
                std::max<std::int64_t>(elements, 1));
    writer.Line();
  }
  if (model.HasConstants()) {
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
std::string Turn(const ProgramModel& model) {
  if (!model.HasConstants()) return "";
  CodeWriter writer;
  writer.Line("RunOrder::Turn turn(order, stream);");
  WriteStep(writer, "Do(turn.Begin(), \"waiting for constant memory\")");
  return writer.str();
}

std::string Steps(const ProgramModel& model) {
  CodeWriter constants;
  for (BufferId id : model.UsedBuffers()) {
    const std::string& constant = model.ConstantName(id);
    if (constant.empty()) continue;
    WriteStep(constants,
              fmt::format("Do(cudaMemcpyToSymbolAsync({0}, {1}, sizeof {0}, 0, "
                          "cudaMemcpyDeviceToDevice, stream), \"filling constant memory\")",
                          constant, model.Name(id)));
  }
  int elements = 0;
  StepStyle style;
  style.launch = [&](CodeWriter& writer, plan::KernelId kernel) {
    WriteStep(writer, fmt::format("{}()", model.Launcher(kernel)));
  };
  style.copy = [](CodeWriter& writer, const std::string& function,
                  const std::vector<std::string>& arguments) {
    WriteStep(writer, fmt::format("Do({}({}, stream), \"copying {} to {}\")", function,
                                  fmt::join(arguments, ", "), arguments[1], arguments[0]));
  };
  style.element = [&](CodeWriter& writer, BufferId buffer, const kernel::Expr& position) {
    std::string name = fmt::format("element_{}", ++elements);
    writer.Line("{} {} = 0;", ToString(model.plan().buffers[buffer].type), name);
    WriteStep(writer, fmt::format("Do(ReadElement(&{}, {} + {}, stream), \"reading {}\")", name,
                                  model.Name(buffer), kernel::Print(position), model.Name(buffer)));
    return kernel::Read(kernel::MakeVar(name, kernel::TypeOf(model.plan().buffers[buffer].type)));
  };
  return fmt::format("{}{}", constants.str(), StepStatements(model, style));
}

/// `if (!memory.f(...)) return error.status();`
void WriteMemoryStep(CodeWriter& writer, std::string_view function,
                     const std::vector<std::string>& arguments) {
  WriteUnless(writer, fmt::format("memory.{}({})", function, fmt::join(arguments, ", ")),
              "return error.status();");
}

std::string HostMemory(const ProgramModel& model) {
  const std::vector<BufferId> buffers = model.UsedBuffers();
  if (buffers.empty()) return "";
  CodeWriter writer;
  writer.Line("DeviceMemory<Allocator::Device, {}> memory(program.stream, error);", buffers.size());
  for (BufferId id : buffers) {
    const std::string& name = model.Name(id);
    const std::string member = fmt::format("program.{}", name);
    const std::string label = fmt::format("\"{}\"", name);
    if (model.NeedsContents(id)) {
      WriteMemoryStep(writer, "Upload", {member, name, label, model.MemberShapeText(id)});
    } else {
      WriteMemoryStep(writer, "Allocate", {member, label, model.MemberShapeText(id)});
    }
  }
  return writer.str();
}

std::string HostResults(const ProgramModel& model) {
  CodeWriter writer;
  for (const Result& result : model.results()) {
    WriteMemoryStep(writer, "Download",
                    {model.Name(result.home), fmt::format("program.{}", model.Name(result.buffer)),
                     model.MemberShapeText(result.home)});
  }
  return writer.str();
}

std::string DeviceMemory(const ProgramModel& model) {
  CodeWriter writer;
  std::vector<BufferId> scratch;
  for (BufferId id : model.UsedBuffers()) {
    if (model.IsScratch(id)) {
      scratch.push_back(id);
    } else {
      writer.Line("program.{0} = {0};", model.Name(id));
    }
  }
  const std::size_t moves = model.Moves().size();
  if (scratch.empty() && moves == 0) return writer.str();
  writer.Line("DeviceMemory<Allocator::StreamOrdered, {}> memory(stream, error);",
              scratch.size() + moves);
  for (BufferId id : scratch) {
    WriteMemoryStep(writer, "Allocate",
                    {fmt::format("program.{}", model.Name(id)),
                     fmt::format("\"{}\"", model.Name(id)), model.MemberShapeText(id)});
  }
  return writer.str();
}

std::string DeviceResults(const ProgramModel& model) {
  if (model.Moves().empty()) return "";
  CodeWriter writer;
  writer.Text(MoveDeclarations(model));
  writer.Line("const auto copy = [&](void* to, const void* from, std::size_t bytes) {{");
  writer.Line("  return Check(error,");
  writer.Line("               cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),");
  writer.Line("               \"bringing results home\");");
  writer.Line("}};");
  writer.Text(MoveHomeCall(model));
  return writer.str();
}

}  // namespace

std::string EmitCuda(const plan::Plan& plan, const CodegenOptions& options) {
  const ProgramModel model(plan, options);
  CodeWriter kernels;
  CodeWriter launchers;
  for (plan::KernelId id : plan.kernels.Ids()) {
    const kernel::LaunchedKernel lowered = cuda::LowerKernel(model, id);
    cuda::PrintFunction(kernels, lowered.function);
    kernels.Line();
    cuda::PrintLaunch(launchers, lowered.launch);
    launchers.Line();
  }
  return FillTemplate(
      EmbeddedText("cuda/templates/program.cu.tmpl"),
      {{"banner", options.part ? "" : Banner(model, true)},
       {"runtime",
        options.part ? "" : RuntimeTexts(RuntimeHeaders(model, true), options.standalone)},
       {"function", options.function},
       {"linkage", Linkage(options)},
       {"index", model.FitsIntIndex() ? "int" : "long long"},
       {"constants", ConstantDeclarations(model)},
       {"kernels", kernels.str()},
       {"members", MemberDeclarations(model)},
       {"checks", ArgumentChecks(model)},
       {"launchers", launchers.str()},
       {"turn", Turn(model)},
       {"steps", Steps(model)},
       {"assignments", MemberAssignments(model)},
       {"device_signature", FunctionSignature(model, HostFunction::Device)},
       {"device_null_checks", NullChecks(model, HostFunction::Device)},
       {"device_memory", DeviceMemory(model)},
       {"device_results", DeviceResults(model)},
       {"host_signature", FunctionSignature(model, HostFunction::Host)},
       {"host_null_checks", NullChecks(model, HostFunction::Host)},
       {"host_memory", HostMemory(model)},
       {"host_results", HostResults(model)},
       {"resident",
        options.resident ? ResidentDefinitions(model, true, DeviceResults(model)) : ""}});
}

}  // namespace stencilgen::codegen
