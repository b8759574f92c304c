#include "support/code_executor.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace stencilgen::testing {
namespace {

const RunObject* FindObject(const ProgramRun& run, const std::string& name) {
  for (const auto* objects : {&run.arrays, &run.scalars}) {
    for (const RunObject& object : *objects) {
      if (object.name == name) return &object;
    }
  }
  return nullptr;
}

std::string CompareArray(const RunObject& array, const kernel::Memory& memory,
                         const graph::InterpretResult& reference) {
  const auto& wanted = reference.defined[static_cast<std::size_t>(array.output)];
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    if (wanted[n] != 0 && memory.defined[n] == 0) {
      return fmt::format("{}: element {} is not set", array.name, n);
    }
  }
  return Compare(array, memory.values, reference, 0);
}

}  // namespace

kernel::ModuleResult RunModule(const kernel::Module& module, const ProgramRun& run,
                               const kernel::ModuleOptions& options) {
  kernel::ModuleArguments arguments;
  for (const kernel::Parameter& parameter : module.parameters) {
    arguments.parameters.push_back(run.sizes.at(parameter.source_name));
  }
  for (const kernel::Array& array : module.arrays) {
    const RunObject* object = FindObject(run, array.source_name);
    if (object == nullptr) {
      kernel::ModuleResult result;
      result.error = fmt::format("no input for {}", array.source_name);
      return result;
    }
    arguments.arrays.push_back(kernel::SetMemory(ValuesOf(*object)));
    std::vector<std::uint8_t>& defined = arguments.arrays.back().defined;
    if (!object->copy_in) std::fill(defined.begin(), defined.end(), std::uint8_t{0});
  }
  // Programs may read what nobody has set: the interpreter says which results have a value.
  kernel::ModuleOptions lenient = options;
  lenient.execution.unset = kernel::UnsetValues::Allow;
  return kernel::Execute(module, std::move(arguments), lenient);
}

std::string CompareRun(const kernel::Module& module, const ProgramRun& run,
                       const kernel::ModuleResult& result) {
  if (!result.error.empty()) return result.error;
  for (std::size_t n = 0; n < module.arrays.size(); ++n) {
    const RunObject& object = *FindObject(run, module.arrays[n].source_name);
    if (object.output < 0 || module.arrays[n].IsScalar()) continue;
    std::string difference = CompareArray(object, result.arrays[n], run.reference);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string CheckModule(const kernel::Module& module, const ProgramRun& run,
                        const kernel::ModuleOptions& options, kernel::ModuleResult* result) {
  if (!run.reference.error.empty()) return "";
  const std::vector<std::string> problems = kernel::Verify(module);
  if (!problems.empty()) return problems.front();
  kernel::ModuleResult made = RunModule(module, run, options);
  std::string error = CompareRun(module, run, made);
  if (result != nullptr) *result = std::move(made);
  return error;
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
