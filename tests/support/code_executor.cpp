#include "support/code_executor.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "kernel/verify_code.h"
#include "lower/cpp/kernel.h"
#include "lower/cpp/time_band.h"
#include "lower/cuda/hexagon_kernel.h"
#include "lower/cuda/kernel.h"
#include "lower/program_model.h"
#include "plan/time_band.h"
#include "support/match.h"
#include "support/plan_executor.h"

namespace stencilgen::testing {
namespace {

using kernel::ExecuteArgument;
using kernel::VarRef;

ExecuteArgument ScalarArgument(const graph::Values& value) {
  return Match(value, [](const auto& elements) -> ExecuteArgument {
    using T = typename std::decay_t<decltype(elements)>::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(elements[0]);
    } else {
      return static_cast<std::int64_t>(elements[0]);
    }
  });
}

/// What functions of a program are called with: the memory of buffers for as long as this lives.
class Arguments {
 public:
  Arguments(const lower::ProgramModel& model, const KernelWorld& world)
      : model_(model), world_(world) {}
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() {
    for (auto& [values, memory] : taken_) *values = std::move(memory->values);
  }

  /// Empty where the variable is none of the program's.
  std::optional<ExecuteArgument> Find(const VarRef& var) {
    for (const plan::BufferId id : model_.plan().buffers.Ids()) {
      if (model_.Var(id) == var || model_.DeviceVar(id) == var) return Take(world_.memory(id));
    }
    for (std::size_t n = 0; n < model_.plan().scalars.size(); ++n) {
      if (model_.ScalarVar(static_cast<int>(n)) == var) return ScalarArgument(world_.scalars[n]);
    }
    for (const plan::KernelId id : model_.plan().kernels.Ids()) {
      if (model_.StagesVar(id) != nullptr && model_.StagesVar(id) == var) {
        return ExecuteArgument(world_.stages);
      }
    }
    for (const graph::ParameterId id : model_.graph().parameters.Ids()) {
      if (model_.Var(id) == var) return ExecuteArgument(world_.parameters[id.index]);
    }
    return std::nullopt;
  }

 private:
  ExecuteArgument Take(graph::Values& values) {
    for (const auto& [known, memory] : taken_) {
      if (known == &values) return memory.get();
    }
    auto memory = std::make_unique<kernel::Memory>(kernel::SetMemory(std::move(values)));
    kernel::Memory* const taken = memory.get();
    taken_.emplace_back(&values, std::move(memory));
    return taken;
  }

  const lower::ProgramModel& model_;
  const KernelWorld& world_;
  std::vector<std::pair<graph::Values*, std::unique_ptr<kernel::Memory>>> taken_;
};

std::string FirstProblem(const kernel::Function& function) {
  const std::vector<std::string> problems = kernel::Verify(function);
  return problems.empty() ? "" : fmt::format("{}: {}", function.name, problems.front());
}

std::string CompareRun(const plan::Plan& plan, const ProgramRun& run, const KernelRunner& runner,
                       const BandRunner& run_band = nullptr) {
  if (!run.reference.error.empty()) return "";
  std::map<std::string, graph::Values> inputs;
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) inputs.emplace(object.name, ValuesOf(object));
  }
  const PlanResult result = ExecutePlan(plan, run.parameters, inputs, runner, run_band);
  if (!result.error.empty()) return result.error;
  for (const RunObject& array : run.arrays) {
    if (array.output < 0) continue;
    const auto& values = result.outputs[static_cast<std::size_t>(array.output)];
    std::string difference = Compare(array, values, run.reference, 0);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

namespace {

/// The plan's kernels and bands as functions of the host.
class Nests {
 public:
  Nests(const plan::Plan& plan, const driver::CodegenOptions& codegen,
        kernel::ExecuteOptions options)
      : model_(plan, codegen),
        options_(std::move(options)),
        bands_(lower::cpp::LowerBands(model_)),
        repeats_(plan::LoopsWithBands(plan)) {
    for (const plan::KernelId id : plan.kernels.Ids()) {
      nests_.push_back(lower::cpp::LowerKernel(model_, id));
      for (const kernel::Function& function : nests_.back().functions) Check(function);
    }
    for (const kernel::Function& function : bands_.functions) {
      Check(function);
      options_.callees.push_back(&function);
    }
  }

  /// What kernel::Verify finds first.
  const std::string& problem() const { return problem_; }

  std::string Launch(plan::KernelId id, const KernelWorld& world) const {
    const lower::cpp::LoweredNest& nest = nests_[id.index];
    kernel::ExecuteOptions with_callees = options_;
    for (const kernel::Function& function : nest.functions) {
      with_callees.callees.push_back(&function);
    }
    return Execute(nest.functions.back(), {}, world, with_callees);
  }

  std::string RunBand(const plan::Repeat& repeat, std::int64_t count, const BandSizes& sizes,
                      const KernelWorld& world) const {
    const std::size_t number = NumberOf(repeat);
    std::vector<std::int64_t> last = {count, sizes.threads, sizes.tiles};
    if (bands_.steps[number].strips) last.push_back(sizes.strip);
    return Execute(FunctionOfBands(bands_.steps[number].call.function), last, world, options_);
  }

  /// The only turn of a loop that has one, where that runs in place.
  std::string RunSingle(const plan::Repeat& repeat, const KernelWorld& world) const {
    const std::size_t number = NumberOf(repeat);
    if (!bands_.singles[number]) return "a single turn without a function";
    return Execute(FunctionOfBands(bands_.singles[number]->function), {}, world, options_);
  }

 private:
  std::size_t NumberOf(const plan::Repeat& repeat) const {
    return static_cast<std::size_t>(std::find(repeats_.begin(), repeats_.end(), &repeat) -
                                    repeats_.begin());
  }
  const kernel::Function& FunctionOfBands(const std::string& name) const {
    return *std::find_if(bands_.functions.begin(), bands_.functions.end(),
                         [&](const kernel::Function& function) { return function.name == name; });
  }

  void Check(const kernel::Function& function) {
    if (problem_.empty()) problem_ = FirstProblem(function);
  }

  /// `last`: the values of the last arguments, which are none of the program's.
  std::string Execute(const kernel::Function& function, const std::vector<std::int64_t>& last,
                      const KernelWorld& world, const kernel::ExecuteOptions& options) const {
    Arguments arguments(model_, world);
    std::vector<ExecuteArgument> values;
    for (std::size_t k = 0; k + last.size() < function.arguments.size(); ++k) {
      const VarRef& var = function.arguments[k].var;
      auto value = arguments.Find(var);
      if (!value) return fmt::format("{} is none of the program's", var->name);
      values.push_back(*value);
    }
    for (const std::int64_t value : last) values.emplace_back(value);
    return kernel::Execute(function, values, options).error;
  }

  lower::ProgramModel model_;
  kernel::ExecuteOptions options_;
  std::vector<lower::cpp::LoweredNest> nests_;
  lower::cpp::LoweredBands bands_;
  std::vector<const plan::Repeat*> repeats_;  ///< with bands, in the plan's order
  std::string problem_;
};

}  // namespace

std::string CheckNests(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options) {
  const Nests nests(plan, codegen, options);
  if (!nests.problem().empty()) return nests.problem();
  return CompareRun(plan, run, [&](plan::KernelId id, const KernelWorld& world) {
    return nests.Launch(id, world);
  });
}

std::string CheckBands(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options,
                       const BandSizes& sizes, std::int64_t& turns) {
  const Nests nests(plan, codegen, options);
  if (!nests.problem().empty()) return nests.problem();
  const auto launch = [&](plan::KernelId id, const KernelWorld& world) {
    return nests.Launch(id, world);
  };
  const auto band = [&](const plan::Repeat& repeat, std::int64_t count, const KernelWorld& world) {
    turns += count;
    if (repeat.band->single && count == 1) return nests.RunSingle(repeat, world);
    return nests.RunBand(repeat, count, sizes, world);
  };
  return CompareRun(plan, run, launch, band);
}

std::string CheckGrids(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options) {
  const lower::ProgramModel model(plan, codegen);
  std::vector<kernel::LaunchedKernel> kernels;
  for (const plan::KernelId id : plan.kernels.Ids()) {
    kernels.push_back(lower::cuda::LowerKernel(model, id));
    std::string problem = FirstProblem(kernels.back().function);
    if (!problem.empty()) return problem;
  }
  kernel::ExecuteOptions with_index = options;
  with_index.short_index = model.FitsIntIndex();
  const auto launch = [&](plan::KernelId id, const KernelWorld& world) {
    Arguments arguments(model, world);
    const auto lookup = [&](const VarRef& var) { return arguments.Find(var); };
    return kernel::Execute(kernels[id.index], lookup, with_index).error;
  };
  return CompareRun(plan, run, launch);
}

std::string CheckHexagons(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                          const ProgramRun& run, const kernel::ExecuteOptions& options,
                          std::int64_t& turns, kernel::ExecuteCounters& counters) {
  const lower::ProgramModel model(plan, codegen);
  const std::vector<const plan::Repeat*> repeats = plan::LoopsWithBands(plan);
  std::vector<lower::cuda::LoweredHexagons> hexagons;
  for (std::size_t number = 0; number < repeats.size(); ++number) {
    hexagons.push_back(lower::cuda::LowerHexagons(model, *repeats[number], number));
    std::string problem = FirstProblem(hexagons.back().kernel.function);
    if (!problem.empty()) return problem;
  }
  const auto launch = [&](plan::KernelId id, const KernelWorld& world) {
    Arguments arguments(model, world);
    const auto lookup = [&](const VarRef& var) { return arguments.Find(var); };
    return kernel::Execute(lower::cuda::LowerKernel(model, id), lookup, options).error;
  };
  const auto band = [&](const plan::Repeat& repeat, std::int64_t count, const KernelWorld& world) {
    turns += count;
    const auto at = std::find(repeats.begin(), repeats.end(), &repeat);
    const auto& tiles = hexagons[static_cast<std::size_t>(at - repeats.begin())];
    const std::int64_t half = repeat.band->hexagon->half;
    const std::int64_t phases = count == 0 ? 0 : (count + half - 1) / half + 1;
    for (std::int64_t phase = 0; phase < phases; ++phase) {
      Arguments arguments(model, world);
      const auto lookup = [&](const VarRef& var) -> std::optional<ExecuteArgument> {
        if (var == tiles.phase) return ExecuteArgument(phase);
        return arguments.Find(var);
      };
      const kernel::ExecuteResult result = kernel::Execute(tiles.kernel, lookup, options);
      if (!result.error.empty()) return result.error;
      counters.flops += result.counters.flops;
      counters.global_loads += result.counters.global_loads;
      counters.global_stores += result.counters.global_stores;
    }
    return std::string();
  };
  return CompareRun(plan, run, launch, band);
}

kernel::ExecuteOptions DrawOrder(Prng* prng) {
  constexpr kernel::RunOrder kOrders[] = {kernel::RunOrder::Forward, kernel::RunOrder::Backward,
                                          kernel::RunOrder::Random};
  kernel::ExecuteOptions options;
  options.order = kOrders[prng->Below(3)];
  options.seed = static_cast<unsigned>(prng->Below(1000));
  return options;
}

kernel::ExecuteOptions DrawExecution(Prng* prng) {
  kernel::ExecuteOptions options = DrawOrder(prng);
  options.vector_bytes = 8 << prng->Below(4);
  options.pack_vectors = prng->Range(1, 2);
  options.rows_as_vectors = prng->Percent(70);
  if (prng->Percent(50)) options.most_blocks = prng->Range(1, 3);
  options.multiprocessors = prng->Range(1, 4);
  options.blocks_of_multiprocessor = prng->Range(1, 3);
  return options;
}

}  // namespace stencilgen::testing
