#include "passes/reorder_lars.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "kernel/liveness.h"
#include "kernel/uses.h"
#include "passes/body_cost.h"
#include "passes/lars_state.h"
#include "passes/statement_orders.h"
#include "passes/trees/flatten_sums.h"

namespace stencilgen::passes {

LarsObjective ChooseObjective(const kernel::Body& body) {
  const kernel::Uses uses = kernel::FindUses(body);
  long long within = 0;
  long long between = 0;
  for (kernel::ValueId value : body.values.Ids()) {
    if (kernel::IsTemporary(body.values[value]) || !kernel::TakesRegister(body.values[value])) {
      continue;
    }
    std::map<int, int> statements;
    for (std::size_t k : uses.uses[value.index]) ++statements[body.instructions[k].statement];
    for (const auto& [statement, count] : statements) within += count - 1;
    if (!statements.empty()) between += static_cast<long long>(statements.size()) - 1;
  }
  if (2 * within < between) return LarsObjective::Interleave;
  if (3 * between < within) return LarsObjective::DepthFirst;
  return LarsObjective::Plain;
}

std::vector<std::size_t> LarsOrder(const kernel::Body& body, LarsObjective objective,
                                   const Latencies& latencies, int window, bool coefficients) {
  return LarsState(body, objective, latencies, window, coefficients).Run();
}

kernel::Body ReorderLars(kernel::Body body, const LarsOptions& options,
                         const std::vector<kernel::Body>& initial) {
  std::vector<LarsObjective> objectives = {ChooseObjective(body)};
  for (LarsObjective each :
       {LarsObjective::Plain, LarsObjective::Interleave, LarsObjective::DepthFirst,
        LarsObjective::Gain, LarsObjective::InOrder, LarsObjective::Growth}) {
    if (options.all_objectives && each != objectives.front()) objectives.push_back(each);
  }
  const int allowed = kernel::MaxLive(body);
  const bool few = kernel::MaxLiveCoefficients(body) <= options.registers.free_coefficients;
  kernel::Body best = body;
  auto best_cost = CostOf(body, options.registers);
  const auto consider = [&](kernel::Body candidate) {
    const auto cost = CostOf(candidate, options.registers);
    if (!(cost < best_cost) || kernel::MaxLive(candidate) > allowed) return;
    best_cost = cost;
    best = std::move(candidate);
  };
  const kernel::Body flat = FlattenSums(std::move(body));
  std::vector<kernel::Body> starts = initial;
  for (const std::vector<std::size_t>& order : StatementOrders(flat, options.orders)) {
    starts.push_back(kernel::InOrder(flat, order));
  }
  for (const kernel::Body& start : starts) {
    consider(start);
    for (LarsObjective objective : objectives) {
      for (const bool coefficients : {false, true}) {
        if (coefficients && few) continue;
        consider(kernel::InOrder(
            start, LarsOrder(start, objective, options.latencies, options.window, coefficients)));
      }
    }
  }
  return best;
}

}  // namespace stencilgen::passes
