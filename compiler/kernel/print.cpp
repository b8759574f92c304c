#include "kernel/print.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernel/uses.h"
#include "support/match.h"

namespace stencilgen::kernel {
namespace {

std::string_view AssignText(const Instruction& instruction, bool sets) {
  if (sets || instruction.combine == Combine::None) return "=";
  if (instruction.combine == Combine::Product) return "*=";
  return instruction.negative ? "-=" : "+=";
}

}  // namespace

std::string Print(const Body& body, const Instruction& instruction, bool sets) {
  std::vector<std::string_view> names;
  for (ValueId operand : instruction.operands) names.push_back(body.values[operand].name);
  const std::string_view dest = body.values[instruction.dest].name;
  const std::string right = Match(
      instruction.operation, [&](Copy) { return std::string(names[0]); },
      [&](UnaryOp op) { return fmt::format("{}{}", ToString(op), names[0]); },
      [&](BinaryOp op) { return fmt::format("{} {} {}", names[0], ToString(op), names[1]); },
      [&](stencilgen::Function function) {
        return fmt::format("{}({})", Info(function).name, fmt::join(names, ", "));
      },
      [&](Select) { return fmt::format("{} ? {} : {}", names[0], names[1], names[2]); },
      [&](Convert) {
        return fmt::format("{}({})", ToString(body.values[instruction.dest].type), names[0]);
      });
  const std::string value =
      sets && instruction.negative
          ? (std::holds_alternative<Copy>(instruction.operation) ? "-" + right : "-(" + right + ")")
          : right;
  return fmt::format("{} {} {}", dest, AssignText(instruction, sets), value);
}

std::string Print(const Body& body) {
  const Uses uses = FindUses(body);
  std::string text;
  for (std::size_t k = 0; k < body.instructions.size(); ++k) {
    const Instruction& instruction = body.instructions[k];
    const auto& contributions = uses.definitions[instruction.dest.index];
    const bool held = body.values[instruction.dest].held;
    text += Print(body, instruction, !held && contributions.front() == k) + "\n";
    if (held || contributions.back() != k) continue;
    for (const Result& result : body.results) {
      if (result.value != instruction.dest) continue;
      constexpr std::array<std::string_view, 3> kSinks = {"store", "keep", "add"};
      text += fmt::format("{} {}\n", kSinks[static_cast<std::size_t>(result.sink)],
                          body.values[result.value].name);
    }
  }
  return text;
}

}  // namespace stencilgen::kernel
