#include "lower/cpp/fetch_plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "kernel/uses.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Body;
using kernel::Instruction;
using kernel::ValueId;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// One simulation of a body's registers.
class Simulation {
 public:
  Simulation(const Body& body, const kernel::Uses& uses, std::vector<ValueId> resident,
             int registers)
      : body_(body), uses_(uses), registers_(registers), is_resident_(body.values.size(), false) {
    for (ValueId id : resident) is_resident_[id.index] = true;
    registers_ -= static_cast<int>(resident.size());
    plan_.resident = std::move(resident);
  }

  FetchPlan Run() {
    const std::size_t count = body_.instructions.size();
    plan_.fetches.resize(count);
    for (std::size_t k = 0; k < count; ++k) Step(k);
    return std::move(plan_);
  }

 private:
  std::size_t NextUse(ValueId id, std::size_t after) const {
    const std::vector<std::size_t>& uses = uses_.uses[id.index];
    const auto next = std::upper_bound(uses.begin(), uses.end(), after);
    return next == uses.end() ? kNever : *next;
  }

  void Step(std::size_t k) {
    const Instruction& instruction = body_.instructions[k];
    bool folded = false;
    for (ValueId operand : instruction.operands) {
      if (kernel::IsTemporary(body_.values[operand]) || is_resident_[operand.index]) continue;
      std::vector<ValueId>& fetches = plan_.fetches[k];
      if (held_.count(operand) > 0 || Contains(fetches, operand)) continue;
      fetches.push_back(operand);
      ++plan_.loads;
      // One element that nothing else needs may stay an operand in memory.
      const bool in_memory =
          !folded && NextUse(operand, k) == kNever && !IsUniform(body_.values[operand]);
      folded = folded || in_memory;
      if (!in_memory) held_.insert(operand);
    }
    Release(k, instruction.operands);
    const auto& definitions = uses_.definitions[instruction.dest.index];
    std::vector<ValueId> operands = instruction.operands;
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    for (ValueId operand : operands) {
      if (NextUse(operand, k) != kNever) continue;
      held_.erase(operand);
      if (kernel::IsTemporary(body_.values[operand])) --computed_;
    }
    if (definitions.front() == k) ++computed_;
    Release(k, {});
    // A result that nothing reads is stored.
    if (definitions.back() == k && uses_.uses[instruction.dest.index].empty()) --computed_;
  }

  static bool Contains(const std::vector<ValueId>& values, ValueId value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  /// Drops values until the rest fits, but none of `needed`.
  void Release(std::size_t k, const std::vector<ValueId>& needed) {
    for (;;) {
      const int over = computed_ + static_cast<int>(held_.size()) - registers_;
      if (over <= 0) return;
      ValueId last;
      for (ValueId id : held_) {
        if (Contains(needed, id)) continue;
        if (!last.Valid() || NextUse(id, k) > NextUse(last, k)) last = id;
      }
      if (!last.Valid()) {
        plan_.overflow += over;
        return;
      }
      held_.erase(last);
    }
  }

  const Body& body_;
  const kernel::Uses& uses_;
  int registers_;
  std::vector<bool> is_resident_;
  std::set<ValueId> held_;  ///< loaded, and needed again
  int computed_ = 0;        ///< temporaries that are live
  FetchPlan plan_;
};

/// The uniform values, those of the most uses first.
std::vector<ValueId> UniformValues(const Body& body, const kernel::Uses& uses) {
  std::vector<ValueId> uniform;
  for (ValueId id : body.values.Ids()) {
    if (IsUniform(body.values[id]) && !uses.uses[id.index].empty()) uniform.push_back(id);
  }
  std::stable_sort(uniform.begin(), uniform.end(), [&](ValueId a, ValueId b) {
    return uses.uses[a.index].size() > uses.uses[b.index].size();
  });
  return uniform;
}

}  // namespace

bool IsUniform(const kernel::Value& value) {
  if (kernel::IsTemporary(value)) return false;
  const auto* element = std::get_if<kernel::Element>(&value.what);
  return element == nullptr ||
         std::all_of(element->access.indices.begin(), element->access.indices.end(),
                     [](const graph::Index& index) { return index.iterator < 0; });
}

FetchPlan PlanFetches(const Body& body, int registers) {
  const kernel::Uses uses = kernel::FindUses(body);
  const std::vector<ValueId> uniform = UniformValues(body, uses);
  FetchPlan best = Simulation(body, uses, {}, registers).Run();
  constexpr int kLeast = 3;  // to compute in
  for (std::size_t stay = 1; stay <= uniform.size() && static_cast<int>(stay) <= registers - kLeast;
       ++stay) {
    const auto end = uniform.begin() + static_cast<std::ptrdiff_t>(stay);
    FetchPlan plan = Simulation(body, uses, {uniform.begin(), end}, registers).Run();
    if (std::pair(plan.overflow, plan.loads) < std::pair(best.overflow, best.loads)) {
      best = std::move(plan);
    }
  }
  return best;
}

}  // namespace stencilgen::lower::cpp
