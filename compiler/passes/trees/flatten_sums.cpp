#include "passes/trees/flatten_sums.h"

#include <utility>
#include <vector>

#include "kernel/uses.h"

namespace stencilgen::passes {
namespace {

using kernel::Combine;
using kernel::Instruction;
using kernel::ValueId;

class Flattener {
 public:
  explicit Flattener(kernel::Body body)
      : body_(std::move(body)),
        uses_(kernel::FindUses(body_)),
        is_result_(body_.values.size(), false),
        combine_(body_.values.size(), Combine::None) {
    for (const kernel::Result& result : body_.results) is_result_[result.value.index] = true;
    for (const Instruction& each : body_.instructions) combine_[each.dest.index] = each.combine;
  }

  kernel::Body Run() {
    SplitPairs();
    // From the last instruction to the first: what reads a value has its final target before the
    // value's own contributions are looked at.
    into_.assign(body_.values.size(), {});
    for (std::size_t k = body_.instructions.size(); k-- > 0;) {
      Instruction& instruction = body_.instructions[k];
      Redirect(instruction);
      if (!IsNested(instruction)) continue;
      into_[instruction.operands[0].index] = {instruction.dest, instruction.negative};
      instruction.operands.clear();  // dropped below
    }
    std::vector<Instruction> kept;
    for (Instruction& each : body_.instructions) {
      if (!each.operands.empty()) kept.push_back(std::move(each));
    }
    body_.instructions = std::move(kept);
    return std::move(body_);
  }

 private:
  struct Target {
    ValueId value;
    bool negative = false;
  };

  bool IsInner(ValueId value, Combine combine) const {
    return kernel::IsTemporary(body_.values[value]) && !is_result_[value.index] &&
           uses_.uses[value.index].size() == 1 && combine_[value.index] == combine;
  }

  /// `r = s - t`, one of which is an inner sum, becomes `r = s; r -= t`.
  void SplitPairs() {
    std::vector<Instruction> split;
    for (Instruction& each : body_.instructions) {
      const auto* binary = std::get_if<BinaryOp>(&each.operation);
      const bool adds = binary != nullptr && (*binary == BinaryOp::Add || *binary == BinaryOp::Sub);
      if (!adds || each.combine != Combine::None || each.operands[0] == each.operands[1] ||
          !(IsInner(each.operands[0], Combine::Sum) || IsInner(each.operands[1], Combine::Sum))) {
        split.push_back(std::move(each));
        continue;
      }
      combine_[each.dest.index] = Combine::Sum;
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const bool negative = side == 1 && *binary == BinaryOp::Sub;
        split.push_back({each.dest,
                         Combine::Sum,
                         negative,
                         kernel::Copy{},
                         {each.operands[side]},
                         each.statement});
      }
    }
    body_.instructions = std::move(split);
  }

  void Redirect(Instruction& instruction) const {
    const Target& target = into_[instruction.dest.index];
    if (!target.value.Valid()) return;
    instruction.dest = target.value;
    instruction.negative = instruction.negative != target.negative;
  }

  bool IsNested(const Instruction& instruction) const {
    if (instruction.combine == Combine::None ||
        !std::holds_alternative<kernel::Copy>(instruction.operation)) {
      return false;
    }
    const ValueId operand = instruction.operands[0];
    return IsInner(operand, instruction.combine) &&
           body_.values[operand].type == body_.values[instruction.dest].type;
  }

  kernel::Body body_;
  kernel::Uses uses_;
  std::vector<bool> is_result_;
  std::vector<Combine> combine_;  ///< by value
  std::vector<Target> into_;      ///< by value: where its contributions go
};

}  // namespace

kernel::Body FlattenSums(kernel::Body body) {
  return Flattener(std::move(body)).Run();
}

}  // namespace stencilgen::passes
