#include "lower/cuda/kernel_arguments.h"

#include <utility>

#include "lower/domain_bounds.h"

namespace stencilgen::lower::cuda {

std::vector<kernel::Argument> ArgumentsOf(const ProgramModel& model, const KernelUses& uses) {
  std::vector<kernel::Argument> arguments;
  for (const auto& [buffer, use] : uses.buffers) {
    if (!model.ConstantName(buffer).empty()) continue;
    arguments.push_back({model.Var(buffer), use.read, use.written});
  }
  for (int scalar : uses.scalars) arguments.push_back({model.ScalarVar(scalar), true});
  for (graph::ParameterId id : uses.parameters) arguments.push_back({model.Var(id), true});
  return arguments;
}

kernel::LaunchRange RangeOf(const ProgramModel& model, const graph::Operator& op, std::size_t n,
                            std::string name, const kernel::VarRef& lo, const kernel::VarRef& hi) {
  const auto form = [&](const graph::LinearForm& linear) { return model.Form(linear); };
  const graph::Interval& interval = op.domain.intervals[n];
  kernel::LaunchRange range{std::move(name), LowerOf(interval, form), UpperOf(interval, form)};
  range.lo = lo;
  range.hi = hi;
  return range;
}

}  // namespace stencilgen::lower::cuda
