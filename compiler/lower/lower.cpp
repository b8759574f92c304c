#include "lower/lower.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/reduction.h"
#include "lower/cpp/hoist_boundaries.h"
#include "lower/cpp/kernel.h"
#include "lower/cpp/time_band.h"
#include "lower/cuda/hexagon_kernel.h"
#include "lower/cuda/kernel.h"
#include "lower/host_steps.h"
#include "lower/lasting_copies.h"
#include "lower/program_model.h"
#include "plan/hexagon.h"
#include "plan/matrix_tiles.h"
#include "plan/operator_facts.h"
#include "plan/time_band.h"

namespace stencilgen::lower {
namespace {

using kernel::Module;
using plan::BufferId;

std::vector<kernel::Expr> ExtentsOf(const ProgramModel& model,
                                    const std::vector<graph::LinearForm>& forms) {
  std::vector<kernel::Expr> extents;
  extents.reserve(forms.size());
  for (const graph::LinearForm& form : forms) extents.push_back(model.Form(form));
  return extents;
}

void AddInterface(const ProgramModel& model, Module& module) {
  for (const graph::ParameterId id : graph::SizesOf(model.graph())) {
    const graph::Parameter& parameter = model.graph().parameters[id];
    module.parameters.push_back({model.Var(id), parameter.name, parameter.span, parameter.fixed});
  }
  for (const Argument& argument : model.arguments()) {
    const graph::Array& declared = model.graph().arrays[argument.array];
    kernel::Array array;
    array.name = argument.name;
    array.source_name = declared.component ? declared.component->whole : declared.name;
    array.declared = declared.span;
    array.type = declared.type;
    array.format = declared.format;
    if (declared.component) {
      for (const std::int64_t count : declared.component->counts) {
        array.extents.push_back(kernel::Number(count));
      }
    }
    for (const graph::LinearForm& extent : declared.extents) {
      array.extents.push_back(model.Form(extent));
    }
    array.copy_in = declared.copy_in;
    array.copy_out = declared.copy_out;
    array.constant = declared.constant;
    for (const BufferId buffer : argument.buffers) array.buffers.push_back(buffer.index);
    module.arrays.push_back(std::move(array));
  }
  const std::vector<std::string> source_names = graph::ParameterNames(model.graph());
  for (const graph::LinearForm& count : model.Counts()) {
    module.counts.push_back({model.Form(count), graph::ToString(count, source_names)});
  }
}

void AddMemory(const ProgramModel& model, Module& module) {
  for (const BufferId id : model.plan().buffers.Ids()) {
    const plan::Buffer& planned = model.plan().buffers[id];
    kernel::Buffer buffer;
    buffer.var = model.Var(id);
    buffer.type = planned.type;
    buffer.format = planned.format;
    buffer.extents = ExtentsOf(model, planned.extents);
    buffer.scratch = model.IsScratch(id);
    buffer.used = model.IsUsed(id);
    buffer.written = model.IsWritten(id);
    buffer.needs_contents = model.NeedsContents(id);
    buffer.copied_out = model.IsCopiedOut(id);
    if (!buffer.scratch) {
      const graph::Array& home = model.graph().arrays[planned.home];
      buffer.visible = home.copy_in || home.copy_out;
    }
    if (!model.ConstantName(id).empty()) {
      buffer.constant = model.DeviceVar(id);
      buffer.elements = 1;
      for (const graph::LinearForm& extent : planned.extents) {
        buffer.elements *= std::max<std::int64_t>(extent.constant, 0);
      }
      buffer.elements = std::max<std::int64_t>(buffer.elements, 1);
    }
    module.buffers.push_back(std::move(buffer));
  }
  for (std::size_t k = 0; k < model.plan().scalars.size(); ++k) {
    module.scalars.emplace_back(model.ScalarVar(static_cast<int>(k)),
                                model.plan().scalars[k].second);
  }
  for (const graph::ParameterId id : model.graph().parameters.Ids()) {
    if (model.graph().parameters[id].turn) module.turns.push_back(model.Var(id));
  }
  for (const plan::KernelId id : model.plan().kernels.Ids()) {
    if (model.StagesVar(id) != nullptr) module.stages.push_back(model.StagesVar(id));
  }
  const auto numbers = [](const std::vector<Result>& results) {
    std::vector<kernel::Output> moves;
    moves.reserve(results.size());
    for (const Result& each : results) moves.push_back({each.home.index, each.buffer.index});
    return moves;
  };
  module.results = numbers(model.results());
  module.moves = numbers(model.Moves());
  for (const plan::CopyOutside& copy : LastingCopies(model.plan())) {
    module.lasting_copies.emplace_back(copy.dst.index, copy.src.index);
  }
}

std::string SummaryOf(const ProgramModel& model, plan::KernelId id, kernel::Target target) {
  const plan::Kernel& kernel = model.plan().kernels[id];
  std::vector<std::string> targets;
  for (const graph::VersionId version : StoredVersions(model.plan(), kernel)) {
    targets.push_back(model.Name(model.plan().buffer_of[version.index]));
  }
  std::string text = fmt::format("{}: writes {}", model.Name(id), fmt::join(targets, ", "));
  if (const graph::Operator* op = plan::FindReduction(model.graph(), kernel.ops)) {
    return fmt::format("{}, {}", text, graph::ToString(*op->reduction));
  }
  if (kernel.matrix) {
    return fmt::format("{}, {}", text,
                       plan::ToString(model.graph(), model.OperatorOf(id), *kernel.matrix));
  }
  if (target == kernel::Target::Host) return text;
  const auto& block = kernel.schedule.block;
  const auto& unroll = kernel.schedule.unroll;
  text += fmt::format(", block {}x{}x{}, {}x{}x{} points a thread", block[0], block[1], block[2],
                      unroll[0], unroll[1], unroll[2]);
  if (const auto& stream = kernel.schedule.stream) {
    text += fmt::format(", along {} {}",
                        model.graph().iterators[static_cast<std::size_t>(stream->iterator)],
                        stream->shortest > 0 ? "in chunks that make whole waves"
                        : stream->chunk == 0 ? "serially"
                                             : fmt::format("in chunks of {}", stream->chunk));
  }
  return text;
}

/// True where code needs the 16-bit floating formats.
bool HasHalves(const graph::Graph& graph) {
  const auto rounds = [](const graph::Expr& expr) {
    const auto* call = std::get_if<graph::Call>(&expr.node);
    return call != nullptr &&
           (call->function == Function::RoundHalf || call->function == Function::RoundBFloat16);
  };
  return std::any_of(graph.exprs.begin(), graph.exprs.end(), rounds) ||
         std::any_of(graph.arrays.begin(), graph.arrays.end(),
                     [](const graph::Array& array) { return array.format >= ElementFormat::Half; });
}

void AddKernel(const ProgramModel& model, plan::KernelId id, Module& module) {
  module.summaries.push_back(SummaryOf(model, id, module.target));
  if (module.target == kernel::Target::Device) {
    kernel::LaunchedKernel lowered = cuda::LowerKernel(model, id);
    module.functions.push_back(std::move(lowered.function));
    module.launches.push_back(std::move(lowered.launch));
    const plan::Kernel& kernel = model.plan().kernels[id];
    module.has_tiles = module.has_tiles || kernel.tile || kernel.matrix;
    return;
  }
  cpp::LoweredNest nest = cpp::LowerKernel(model, id);
  for (kernel::Function& function : nest.functions) {
    module.functions.push_back(std::move(function));
  }
  module.calls.push_back(std::move(nest.call));
}

/// The number of a single turn's kernel among the module's; loops may share one.
std::optional<std::size_t> AddSingleTurn(std::optional<kernel::CallStmt> call, Module& module) {
  if (!call) return std::nullopt;
  const auto known =
      std::find_if(module.calls.begin(), module.calls.end(),
                   [&](const kernel::CallStmt& each) { return each.function == call->function; });
  const auto number = static_cast<std::size_t>(known - module.calls.begin());
  if (known != module.calls.end()) return number;
  module.summaries.push_back(fmt::format("{}: a loop's only turn, in place", call->function));
  module.calls.push_back(*std::move(call));
  return number;
}

std::size_t CountGraphs(const std::vector<plan::Step>& steps) {
  std::size_t count = 0;
  for (const plan::Step& step : steps) {
    if (const auto* repeat = std::get_if<plan::Repeat>(&step)) {
      count += (repeat->graph ? 1 : 0) + CountGraphs(repeat->body);
    }
  }
  return count;
}

std::string SummaryOf(const ProgramModel& model, const plan::Repeat& repeat,
                      const std::string& name) {
  std::vector<std::string> parts;
  for (const plan::KernelId id : repeat.band->launches) parts.push_back(model.Name(id));
  const plan::Hexagon& hexagon = *repeat.band->hexagon;
  return fmt::format("{}: all turns of {} in hexagons of {} turns, block {}x{}", name,
                     fmt::join(parts, ", "), 2 * hexagon.half, hexagon.block[0], hexagon.block[1]);
}

/// The kernels of loops in hexagons.
std::vector<HexagonLaunch> AddHexagons(const ProgramModel& model, Module& module) {
  std::vector<HexagonLaunch> launches;
  const std::vector<const plan::Repeat*> loops = plan::LoopsWithBands(model.plan());
  for (std::size_t number = 0; number < loops.size(); ++number) {
    cuda::LoweredHexagons lowered = cuda::LowerHexagons(model, *loops[number], number);
    launches.push_back({module.launches.size(), lowered.phase});
    module.summaries.push_back(SummaryOf(model, *loops[number], lowered.kernel.function.name));
    module.turns.push_back(lowered.phase);
    module.functions.push_back(std::move(lowered.kernel.function));
    module.launches.push_back(std::move(lowered.kernel.launch));
    module.has_tiles = true;
  }
  return launches;
}

}  // namespace

Module Lower(const plan::Plan& plan, const Options& options, kernel::Target target) {
  const ProgramModel model(plan, options);
  Module module;
  module.target = target;
  module.strict = options.fp == FpMode::Strict;
  module.short_index = model.FitsIntIndex();
  module.has_halves = HasHalves(plan.graph);
  AddInterface(model, module);
  AddMemory(model, module);
  StepKernels kernels;
  const std::set<plan::KernelId> in_hexagons = plan::KernelsInHexagons(plan);
  for (const plan::KernelId id : plan.kernels.Ids()) {
    kernels.numbers.push_back(module.summaries.size());
    if (in_hexagons.count(id) == 0) AddKernel(model, id, module);
  }
  if (target == kernel::Target::Host) {
    cpp::LoweredBands lowered = cpp::LowerBands(model);
    for (kernel::Function& function : lowered.functions) {
      module.functions.push_back(std::move(function));
    }
    module.has_bands = !lowered.steps.empty();
    kernels.bands = std::move(lowered.steps);
    for (std::optional<kernel::CallStmt>& call : lowered.singles) {
      kernels.singles.push_back(AddSingleTurn(std::move(call), module));
    }
    for (kernel::Function& function : module.functions) {
      cpp::HoistBoundaries(model.scope(), function);
    }
  } else {
    kernels.hexagons = AddHexagons(model, module);
  }
  module.graphs = CountGraphs(plan.steps);
  module.steps = LowerSteps(model, target, kernels);
  return module;
}

}  // namespace stencilgen::lower
