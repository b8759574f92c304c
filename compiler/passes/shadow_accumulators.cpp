#include "passes/shadow_accumulators.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernel/liveness.h"
#include "kernel/uses.h"

namespace stencilgen::passes {
namespace {

using kernel::Instruction;
using kernel::ValueId;

/// The accumulation into `sum` spread over it and at most `most` shadows.
kernel::Body Shadowed(const kernel::Body& body, ValueId sum, std::size_t last, int window,
                      int most) {
  kernel::Body result = body;
  result.instructions.clear();
  std::vector<ValueId> variables = {sum};
  const auto is_recent = [&](ValueId variable) {
    const std::size_t count = result.instructions.size();
    const std::size_t near = std::min(count, static_cast<std::size_t>(window));
    return std::any_of(result.instructions.end() - static_cast<std::ptrdiff_t>(near),
                       result.instructions.end(),
                       [&](const Instruction& each) { return each.dest == variable; });
  };
  std::size_t turn = 0;
  for (std::size_t k = 0; k < body.instructions.size(); ++k) {
    Instruction instruction = body.instructions[k];
    if (instruction.dest == sum) {
      const auto free = std::find_if(variables.begin(), variables.end(),
                                     [&](ValueId each) { return !is_recent(each); });
      if (free != variables.end()) {
        turn = static_cast<std::size_t>(free - variables.begin());
      } else if (variables.size() <= static_cast<std::size_t>(most)) {
        kernel::Value shadow = body.values[sum];
        shadow.name = fmt::format("{}.{}", shadow.name, variables.size());
        turn = variables.size();
        variables.push_back(result.values.Add(std::move(shadow)));
      } else {
        turn = (turn + 1) % variables.size();
      }
      instruction.dest = variables[turn];
    }
    result.instructions.push_back(instruction);
    if (k != last) continue;
    for (std::size_t n = 1; n < variables.size(); ++n) {
      result.instructions.push_back({sum,
                                     body.instructions[k].combine,
                                     false,
                                     kernel::Copy{},
                                     {variables[n]},
                                     body.instructions[k].statement});
    }
  }
  return result;
}

}  // namespace

kernel::Body AddShadows(kernel::Body body, int window, int most_live) {
  const kernel::Uses uses = kernel::FindUses(body);
  for (std::size_t index = 0; index < uses.definitions.size(); ++index) {
    if (uses.definitions[index].size() < 2) continue;
    const ValueId sum{static_cast<std::uint32_t>(index)};
    for (int shadows = window; shadows > 0; --shadows) {
      // Shadows of others have moved the instructions.
      const std::size_t last = kernel::FindUses(body).definitions[index].back();
      kernel::Body shadowed = Shadowed(body, sum, last, window, shadows);
      if (kernel::MaxLive(shadowed) > most_live) continue;
      body = std::move(shadowed);
      break;
    }
  }
  return body;
}

}  // namespace stencilgen::passes
