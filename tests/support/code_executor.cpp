#include "support/code_executor.h"

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
#include "lower/cuda/kernel.h"
#include "lower/program_model.h"
#include "support/match.h"
#include "support/plan_executor.h"

namespace stencilgen::testing {
namespace {

using kernel::ExecuteArgument;
using kernel::VarRef;

graph::Values ToValues(const RunObject& object) {
  graph::Values values = graph::MakeValues(object.type, object.count());
  Match(values, [&](auto& elements) {
    if (!object.bytes.empty()) {
      std::memcpy(elements.data(), object.bytes.data(), object.bytes.size());
    }
  });
  return values;
}

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
  Arguments(const lower::ProgramModel& model, const graph::ParameterValues& parameters,
            const KernelWorld& world)
      : model_(model), parameters_(parameters), world_(world) {}
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
    for (std::size_t n = 0; n < parameters_.size(); ++n) {
      const graph::ParameterId id{static_cast<std::uint32_t>(n)};
      if (model_.Var(id) == var) return ExecuteArgument(parameters_[n]);
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
  const graph::ParameterValues& parameters_;
  const KernelWorld& world_;
  std::vector<std::pair<graph::Values*, std::unique_ptr<kernel::Memory>>> taken_;
};

std::string FirstProblem(const kernel::Function& function) {
  const std::vector<std::string> problems = kernel::Verify(function);
  return problems.empty() ? "" : fmt::format("{}: {}", function.name, problems.front());
}

std::string CompareRun(const plan::Plan& plan, const ProgramRun& run, const KernelRunner& runner) {
  if (!run.reference.error.empty()) return "";
  std::map<std::string, graph::Values> inputs;
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) inputs.emplace(object.name, ToValues(object));
  }
  const PlanResult result = ExecutePlan(plan, run.parameters, inputs, runner);
  if (!result.error.empty()) return result.error;
  for (const RunObject& array : run.arrays) {
    if (array.output < 0) continue;
    const auto& values = result.outputs[static_cast<std::size_t>(array.output)];
    std::string difference = Compare(array, ToBytes(values), run.reference, 0);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

std::string CheckNests(const plan::Plan& plan, const driver::CodegenOptions& codegen,
                       const ProgramRun& run, const kernel::ExecuteOptions& options) {
  const lower::ProgramModel model(plan, codegen);
  std::vector<lower::cpp::LoweredNest> nests;
  for (const plan::KernelId id : plan.kernels.Ids()) {
    nests.push_back(lower::cpp::LowerKernel(model, id));
    for (const kernel::Function& function : nests.back().functions) {
      std::string problem = FirstProblem(function);
      if (!problem.empty()) return problem;
    }
  }
  const auto launch = [&](plan::KernelId id, const KernelWorld& world) -> std::string {
    const lower::cpp::LoweredNest& nest = nests[id.index];
    Arguments arguments(model, run.parameters, world);
    std::vector<ExecuteArgument> values;
    for (const kernel::Argument& argument : nest.functions.back().arguments) {
      auto value = arguments.Find(argument.var);
      if (!value) return fmt::format("{} is none of the program's", argument.var->name);
      values.push_back(*value);
    }
    kernel::ExecuteOptions with_callees = options;
    for (const kernel::Function& function : nest.functions) {
      with_callees.callees.push_back(&function);
    }
    return kernel::Execute(nest.functions.back(), values, with_callees).error;
  };
  return CompareRun(plan, run, launch);
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
    Arguments arguments(model, run.parameters, world);
    const auto lookup = [&](const VarRef& var) { return arguments.Find(var); };
    return kernel::Execute(kernels[id.index], lookup, with_index).error;
  };
  return CompareRun(plan, run, launch);
}

}  // namespace stencilgen::testing
