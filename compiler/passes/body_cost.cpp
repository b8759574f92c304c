#include "passes/body_cost.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kernel/liveness.h"
#include "kernel/uses.h"

namespace stencilgen::passes {
namespace {

/// By instruction: how many of these ranges, first and last instruction, it lies in.
std::vector<int> Cover(std::size_t instructions,
                       const std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
  std::vector<int> change(instructions + 1, 0);
  for (const auto& [first, last] : ranges) {
    ++change[first];
    --change[last + 1];
  }
  for (std::size_t k = 1; k < change.size(); ++k) change[k] += change[k - 1];
  return change;
}

std::vector<int> Coefficients(const kernel::Body& body, const kernel::Uses& uses) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (kernel::ValueId id : body.values.Ids()) {
    const auto& places = uses.uses[id.index];
    if (!places.empty() && kernel::IsCoefficient(body.values[id])) {
      ranges.emplace_back(places.front(), places.back());
    }
  }
  return Cover(body.instructions.size(), ranges);
}

/// Rows of arrays: elements that differ in their last index have one address.
std::vector<int> Rows(const kernel::Body& body, const kernel::Uses& uses) {
  std::map<std::pair<graph::VersionId, std::vector<std::int64_t>>,
           std::pair<std::size_t, std::size_t>>
      rows;
  for (kernel::ValueId id : body.values.Ids()) {
    const auto& places = uses.uses[id.index];
    const auto* element = std::get_if<kernel::Element>(&body.values[id].what);
    if (places.empty() || element == nullptr || !kernel::TakesRegister(body.values[id])) continue;
    std::vector<std::int64_t> offsets;
    const auto& indices = element->access.indices;
    for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
      offsets.push_back(indices[d].offset.constant);
    }
    const auto [at, is_new] =
        rows.try_emplace({element->access.version, offsets}, places.front(), places.front());
    at->second.first = std::min(at->second.first, places.front());
    // Only the first use of an element needs its address.
    at->second.second = std::max(at->second.second, places.front());
  }
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  ranges.reserve(rows.size());
  for (const auto& [row, range] : rows) ranges.push_back(range);
  return Cover(body.instructions.size(), ranges);
}

}  // namespace

const RegisterRules kGpuRegisters = {14, true};
const RegisterRules kCpuRegisters = {1 << 20, false};

BodyCost CostOf(const kernel::Body& body, const RegisterRules& rules) {
  BodyCost cost;
  cost.instructions = body.instructions.size();
  const kernel::Uses uses = kernel::FindUses(body);
  const std::vector<int> coefficients = Coefficients(body, uses);
  const std::vector<int> rows =
      rules.addresses ? Rows(body, uses) : std::vector<int>(coefficients.size(), 0);
  const std::vector<kernel::Pressure> pressures = kernel::Pressures(body);
  for (std::size_t k = 0; k < pressures.size(); ++k) {
    const int live = std::max(pressures[k].before, pressures[k].after);
    const int more = 2 * std::max(0, coefficients[k] - rules.free_coefficients) + rows[k];
    cost.live = std::max(cost.live, live + more);
    cost.sum += live + more;
  }
  return cost;
}

}  // namespace stencilgen::passes
