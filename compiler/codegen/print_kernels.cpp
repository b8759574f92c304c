#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/codegen.h"
#include "codegen/cpp/choose_vectors.h"
#include "codegen/cpp/kernel.h"
#include "codegen/cpp/print_function.h"
#include "codegen/cuda/kernel.h"
#include "codegen/cuda/print_function.h"
#include "codegen/cuda/print_launch.h"
#include "codegen/cuda/thread_body.h"
#include "codegen/cuda/tile_body.h"
#include "codegen/program_model.h"
#include "kernel/liveness.h"
#include "kernel/print.h"

namespace stencilgen::codegen {
namespace {

std::string CountText(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string BodyText(std::string_view order, const kernel::Body& body) {
  std::string text = fmt::format(
      "  {}: {}, at most {} and {} live at once\n", order,
      CountText(body.instructions.size(), "instruction"),
      CountText(static_cast<std::size_t>(kernel::MaxLive(body)), "value"),
      CountText(static_cast<std::size_t>(kernel::MaxLiveCoefficients(body)), "coefficient"));
  std::istringstream lines(kernel::Print(body));
  for (std::string line; std::getline(lines, line);) text += fmt::format("    {}\n", line);
  return text;
}

/// `[0][0], [1][0]`: from the first point, by iterator.
std::string PointsText(const kernel::Body& body) {
  std::vector<std::string> points;
  for (const kernel::Statement& statement : body.statements) {
    points.push_back(fmt::format("[{}]", fmt::join(statement.offset, "][")));
  }
  return fmt::format("{}: {}", CountText(points.size(), "point"), fmt::join(points, ", "));
}

/// What each of the tile's operators computes of a thread's points, one text for those of a
/// scattered sum, whose planes stand first in a list of offsets.
std::string PrintTileKernel(const ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  std::string text =
      fmt::format("kernel {}: a tile, whose steps `--emit plan` shows\n", planned.name);
  for (std::size_t op = 0; op < planned.tile->ops.size(); ++op) {
    const cuda::TileBody body =
        cuda::OrderTile(model, kernel, static_cast<int>(op), plan::PointsOf(*planned.tile));
    text +=
        fmt::format("  {}: a thread computes {}\n",
                    model.OperatorOf(planned.tile->ops[op].node).stencil, PointsText(body.written));
    text += BodyText("as written", body.written);
    if (passes::Reorders(OrderOf(model.options(), kernel).how)) {
      text += BodyText("reordered", body.ordered);
    }
  }
  return text;
}

std::string PrintDeviceKernel(const ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  if (planned.tile) return PrintTileKernel(model, kernel);
  const cuda::OrderedBody body =
      cuda::OrderPoints(model, kernel, cuda::PointsOfThread(model, kernel));
  std::string text =
      fmt::format("kernel {}: a thread computes {}\n", planned.name, PointsText(body.written));
  text += BodyText("as written", body.written);
  if (passes::Reorders(OrderOf(model.options(), kernel).how)) {
    text += BodyText("reordered", body.ordered);
  }
  return text;
}

/// What the printers of files get, as they write it.
template <typename Write>
std::string CodeText(Write write) {
  CodeWriter code;
  write(code);
  CodeWriter indented;
  indented.Line("  code:");
  CodeWriter body;
  WriteIndented(body, code.str());
  WriteIndented(indented, body.str());
  return indented.str();
}

std::string DeviceCode(const ProgramModel& model, plan::KernelId kernel) {
  const kernel::LaunchedKernel lowered = cuda::LowerKernel(model, kernel);
  return CodeText([&](CodeWriter& writer) {
    cuda::PrintFunction(writer, lowered.function);
    writer.Line();
    cuda::PrintLaunch(writer, lowered.launch);
  });
}

std::string HostCode(const ProgramModel& model, plan::KernelId kernel) {
  const cpp::LoweredNest nest = cpp::LowerKernel(model, kernel);
  return CodeText([&](CodeWriter& writer) {
    for (const kernel::Function& function : nest.functions) {
      if (&function != &nest.functions.front()) writer.Line();
      cpp::PrintFunction(writer, function);
    }
  });
}

std::string PrintVectorKernel(const ProgramModel& model, plan::KernelId kernel) {
  const std::string& name = model.plan().kernels[kernel].name;
  const auto vectors = cpp::ChooseVectors(model, kernel);
  if (!vectors) return fmt::format("kernel {}: a plain loop nest\n", name);
  return fmt::format("kernel {}: in vectors, a turn computes {}\n", name,
                     PointsText(vectors->body)) +
         BodyText("as written", vectors->written) + BodyText("reordered", vectors->body);
}

}  // namespace

passes::ReorderOptions OrderOf(const CodegenOptions& options, plan::KernelId kernel) {
  passes::ReorderOptions order = options.reorder;
  if (!options.kernel_orders.empty()) order.how = options.kernel_orders[kernel.index];
  return order;
}

std::string PrintKernels(const plan::Plan& plan, const CodegenOptions& options, bool cuda) {
  const ProgramModel model(plan, options);
  std::string text;
  for (plan::KernelId kernel : plan.kernels.Ids()) {
    text += cuda ? PrintDeviceKernel(model, kernel) + DeviceCode(model, kernel)
                 : PrintVectorKernel(model, kernel) + HostCode(model, kernel);
  }
  return text;
}

}  // namespace stencilgen::codegen
