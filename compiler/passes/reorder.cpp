#include "passes/reorder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/liveness.h"
#include "passes/reorder_lars.h"
#include "passes/reorder_trees.h"
#include "passes/shadow_accumulators.h"

namespace stencilgen::passes {

using kernel::Body;

Body ReorderBody(Body body, const ReorderOptions& options) {
  if (!Reorders(options.how)) return body;
  const int before = kernel::MaxLive(body);
  LarsOptions lars;
  lars.latencies = options.latencies;
  lars.window = options.window;
  lars.registers = options.registers;
  TreesOptions trees;
  trees.max_permutations = options.max_permutations;
  trees.free_coefficients = options.registers.free_coefficients;
  std::vector<Body> candidates = {body};
  const auto add_trees = [&](const Body& from) {
    for (Body& each : TreeOrders(from, trees)) candidates.push_back(std::move(each));
  };
  if (options.how != Reorder::Lars) add_trees(body);
  if (options.how != Reorder::Trees) candidates.push_back(ReorderLars(body, lars));
  if (options.how == Reorder::Auto) {
    // Each also begins with what the other found.
    const Body by_lars = candidates.back();
    if (candidates.size() > 2) candidates.push_back(ReorderLars(candidates[1], lars));
    add_trees(by_lars);
  }
  const auto best =
      std::min_element(candidates.begin(), candidates.end(), [&](const Body& a, const Body& b) {
        return CostOf(a, options.registers) < CostOf(b, options.registers);
      });
  if (options.shadow_limit == 0) return std::move(*best);
  return AddShadows(std::move(*best), options.window, std::min(before, options.shadow_limit));
}

}  // namespace stencilgen::passes
