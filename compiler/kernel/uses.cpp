#include "kernel/uses.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace stencilgen::kernel {

Uses FindUses(const Body& body) {
  Uses found;
  found.definitions.resize(body.values.size());
  found.uses.resize(body.values.size());
  for (std::size_t k = 0; k < body.instructions.size(); ++k) {
    const Instruction& instruction = body.instructions[k];
    found.definitions[instruction.dest.index].push_back(k);
    for (ValueId operand : instruction.operands) {
      auto& uses = found.uses[operand.index];
      if (uses.empty() || uses.back() != k) uses.push_back(k);
    }
  }
  return found;
}

std::vector<std::vector<std::size_t>> Predecessors(const Body& body, const Uses& uses) {
  std::vector<std::vector<std::size_t>> before(body.instructions.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    for (ValueId operand : body.instructions[k].operands) {
      const auto& definitions = uses.definitions[operand.index];
      before[k].insert(before[k].end(), definitions.begin(), definitions.end());
    }
    std::sort(before[k].begin(), before[k].end());
    before[k].erase(std::unique(before[k].begin(), before[k].end()), before[k].end());
  }
  return before;
}

Body InOrder(Body body, const std::vector<std::size_t>& order) {
  STENCILGEN_CHECK(order.size() == body.instructions.size());
  std::vector<Instruction> instructions;
  instructions.reserve(order.size());
  for (std::size_t k : order) instructions.push_back(std::move(body.instructions[k]));
  body.instructions = std::move(instructions);
  return body;
}

}  // namespace stencilgen::kernel
