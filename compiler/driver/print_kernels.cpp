#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/cpp/print_function.h"
#include "codegen/cuda/print_function.h"
#include "codegen/cuda/print_launch.h"
#include "driver/code_options.h"
#include "kernel/liveness.h"
#include "kernel/print.h"
#include "lower/cpp/vector_kernel.h"
#include "lower/cuda/thread_body.h"
#include "lower/cuda/tile_body.h"
#include "lower/lower.h"
#include "lower/program_model.h"
#include "plan/hexagon.h"
#include "support/count_text.h"

namespace stencilgen::driver {
namespace {

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
std::string PrintTileKernel(const lower::ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  std::string text =
      fmt::format("kernel {}: a tile, whose steps `--emit plan` shows\n", planned.name);
  for (std::size_t op = 0; op < planned.tile->ops.size(); ++op) {
    const lower::cuda::TileBody body =
        lower::cuda::OrderTile(model, kernel, static_cast<int>(op), plan::PointsOf(*planned.tile));
    text +=
        fmt::format("  {}: a thread computes {}\n",
                    model.OperatorOf(planned.tile->ops[op].node).stencil, PointsText(body.written));
    text += BodyText("as written", body.written);
    if (passes::Reorders(lower::OrderOf(model.options(), kernel).how)) {
      text += BodyText("reordered", body.ordered);
    }
  }
  return text;
}

std::string PrintDeviceKernel(const lower::ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  if (planned.tile) return PrintTileKernel(model, kernel);
  const lower::cuda::OrderedBody body =
      lower::cuda::OrderPoints(model, kernel, lower::cuda::PointsOfThread(model, kernel));
  std::string text =
      fmt::format("kernel {}: a thread computes {}\n", planned.name, PointsText(body.written));
  text += BodyText("as written", body.written);
  if (passes::Reorders(lower::OrderOf(model.options(), kernel).how)) {
    text += BodyText("reordered", body.ordered);
  }
  return text;
}

/// The functions, and the launch that starts them on a device.
std::string CodeText(const kernel::Module& module, std::size_t kernel, GpuLanguage language) {
  CodeWriter code;
  if (module.target == kernel::Target::Device) {
    codegen::cuda::PrintFunction(code, module.functions[kernel], language);
    code.Line();
    const auto launch = module.launches.begin() + static_cast<std::ptrdiff_t>(kernel);
    const auto fitted = std::count_if(module.launches.begin(), launch, kernel::HasFittedChunks);
    codegen::cuda::PrintLaunch(code, *launch, static_cast<std::size_t>(fitted));
  } else {
    const auto end_of = [&](std::size_t number) {
      const auto at = std::find_if(module.functions.begin(), module.functions.end(),
                                   [&](const kernel::Function& function) {
                                     return function.name == module.calls[number].function;
                                   });
      return static_cast<std::size_t>(at - module.functions.begin()) + 1;
    };
    for (std::size_t k = kernel == 0 ? 0 : end_of(kernel - 1); k < end_of(kernel); ++k) {
      if (!code.str().empty()) code.Line();
      codegen::cpp::PrintFunction(code, module.functions[k]);
    }
  }
  CodeWriter indented;
  indented.Line("  code:");
  CodeWriter body;
  WriteIndented(body, code.str());
  WriteIndented(indented, body.str());
  return indented.str();
}

std::string PrintVectorKernel(const lower::ProgramModel& model, plan::KernelId kernel) {
  const std::string& name = model.plan().kernels[kernel].name;
  const auto& nest = model.plan().kernels[kernel].nest;
  if (!nest || !nest->vectors) return fmt::format("kernel {}: a plain loop nest\n", name);
  const lower::cpp::VectorKernel vectors =
      lower::cpp::MakeVectorKernel(model.graph(), model.OperatorOf(kernel), *nest, model.options());
  return fmt::format("kernel {}: in vectors, a turn computes {}\n", name,
                     PointsText(vectors.body)) +
         BodyText("as written", vectors.written) + BodyText("reordered", vectors.body);
}

}  // namespace

std::string PrintKernels(const plan::Plan& plan, const CodegenOptions& options,
                         kernel::Target target) {
  const kernel::Module module = lower::Lower(plan, options, target);
  const lower::ProgramModel model(plan, options);
  std::string text;
  const std::set<plan::KernelId> in_hexagons = plan::KernelsInHexagons(plan);
  std::size_t number = 0;
  for (const plan::KernelId kernel : plan.kernels.Ids()) {
    if (in_hexagons.count(kernel) > 0) continue;
    text += target == kernel::Target::Device ? PrintDeviceKernel(model, kernel)
                                             : PrintVectorKernel(model, kernel);
    text += CodeText(module, number++, options.language);
  }
  for (; number < module.summaries.size(); ++number) {
    text += fmt::format("kernel {}\n", module.summaries[number]);
    text += CodeText(module, number, options.language);
  }
  return text;
}

}  // namespace stencilgen::driver
