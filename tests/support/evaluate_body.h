#pragma once

#include <functional>
#include <vector>

#include "kernel/body.h"
#include "support/match.h"

namespace stencilgen {

/// The body's values in the arithmetic of Number, by value. `leaf` gives what no instruction
/// defines; `apply(operation, operands, type)` computes one operation but Copy, + - and *.
template <typename Number>
std::vector<Number> EvaluateBody(
    const kernel::Body& body, const std::function<Number(kernel::ValueId)>& leaf,
    const std::function<Number(const kernel::Operation&, const std::vector<Number>&, ScalarType)>&
        apply) {
  std::vector<Number> values(body.values.size());
  std::vector<bool> defined(body.values.size(), false);
  for (kernel::ValueId id : body.values.Ids()) {
    if (!kernel::IsTemporary(body.values[id])) values[id.index] = leaf(id);
  }
  for (const kernel::Instruction& instruction : body.instructions) {
    std::vector<Number> operands;
    for (kernel::ValueId operand : instruction.operands) operands.push_back(values[operand.index]);
    const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
    Number value{};
    if (std::holds_alternative<kernel::Copy>(instruction.operation)) {
      value = operands[0];
    } else if (binary != nullptr && *binary == BinaryOp::Add) {
      value = operands[0] + operands[1];
    } else if (binary != nullptr && *binary == BinaryOp::Sub) {
      value = operands[0] - operands[1];
    } else if (binary != nullptr && *binary == BinaryOp::Mul) {
      value = operands[0] * operands[1];
    } else {
      value = apply(instruction.operation, operands, body.values[instruction.dest].type);
    }
    if (instruction.negative) value = Number{} - value;
    Number& dest = values[instruction.dest.index];
    if (!defined[instruction.dest.index]) {
      dest = value;
    } else if (instruction.combine == kernel::Combine::Product) {
      dest = dest * value;
    } else {
      dest = dest + value;
    }
    defined[instruction.dest.index] = true;
  }
  return values;
}

}  // namespace stencilgen
