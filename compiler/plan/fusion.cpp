#include "plan/fusion.h"

#include <array>
#include <tuple>

namespace stencilgen::plan {

bool MoreProfitable(const FusionTuple& a, const FusionTuple& b, FusionObjective objective) {
  // Larger is better; the rules in the order of their letters.
  const auto rules = [](const FusionTuple& t) {
    return std::array<int, 7>{t.data_movement,  -(t.registers + t.shared),          -t.shared,
                              -t.registers,     t.saved_registers + t.saved_shared, t.saved_shared,
                              t.saved_registers};
  };
  const std::array<int, 7> of_a = rules(a);
  const std::array<int, 7> of_b = rules(b);
  constexpr std::size_t kSharedRule = 2;
  constexpr std::size_t kRegisterRule = 3;
  if (objective != FusionObjective::DataMovement) {
    const std::size_t first = objective == FusionObjective::Registers ? kRegisterRule : kSharedRule;
    if (of_a[first] != of_b[first]) return of_a[first] > of_b[first];
  }
  return of_a > of_b;
}

std::string_view ToString(FusionConstraint constraint) {
  switch (constraint) {
    case FusionConstraint::Size:
      return "size";
    case FusionConstraint::Registers:
      return "registers";
    case FusionConstraint::SharedMemory:
      return "shared memory";
    case FusionConstraint::Recomputation:
      return "recomputation";
    case FusionConstraint::Tile:
      return "tile";
    case FusionConstraint::Spills:
      return "spills";
    case FusionConstraint::Price:
      return "price";
  }
  return "";
}

}  // namespace stencilgen::plan
