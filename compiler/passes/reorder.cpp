#include "passes/reorder.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "kernel/liveness.h"
#include "passes/reorder_lars.h"
#include "passes/reorder_trees.h"
#include "passes/shadow_accumulators.h"

namespace stencilgen::passes {
namespace {

/// What decides between orders. One scheduler alone goes by live values.
RegisterRules RulesOf(const ReorderOptions& options) {
  RegisterRules rules = options.registers;
  if (options.how == Reorder::Auto || options.how == Reorder::LarsRows || !rules.addresses) {
    return rules;
  }
  rules.addresses = false;
  if (options.how == Reorder::LarsCoefficients) rules.free_coefficients = 0;
  return rules;
}

}  // namespace

kernel::Body ReorderBody(kernel::Body body, const ReorderOptions& options) {
  if (!Reorders(options.how)) return body;
  const int before = kernel::MaxLive(body);
  LarsOptions lars;
  lars.latencies = options.latencies;
  lars.window = options.window;
  TreesOptions tree_options;
  tree_options.max_permutations = options.max_permutations;
  tree_options.free_coefficients = options.registers.free_coefficients;
  const RegisterRules rules = RulesOf(options);
  const auto is_cheaper = [&](const kernel::Body& a, const kernel::Body& b) {
    return CostOf(a, rules) < CostOf(b, rules);
  };
  std::vector<kernel::Body> candidates = {body};
  std::vector<kernel::Body> by_trees;
  if (options.how != Reorder::LarsRows) by_trees = TreeOrders(body, tree_options);
  if (options.how != Reorder::Trees) {
    // One of the orders to begin with is the best of the other scheduler.
    const auto initial = std::min_element(by_trees.begin(), by_trees.end(), is_cheaper);
    lars.registers = rules;
    candidates.push_back(ReorderLars(body, lars,
                                     initial == by_trees.end()
                                         ? std::vector<kernel::Body>{}
                                         : std::vector<kernel::Body>{*initial}));
  }
  if (options.how == Reorder::Auto) {
    std::vector<kernel::Body> both = TreeOrders(candidates.back(), tree_options);
    std::move(both.begin(), both.end(), std::back_inserter(candidates));
  }
  if (options.how == Reorder::Trees || options.how == Reorder::Auto) {
    std::move(by_trees.begin(), by_trees.end(), std::back_inserter(candidates));
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(), is_cheaper);
  if (options.shadow_limit == 0) return std::move(*best);
  return AddShadows(std::move(*best), options.window, std::min(before, options.shadow_limit));
}

}  // namespace stencilgen::passes
