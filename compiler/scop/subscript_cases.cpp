#include "scop/subscript_cases.h"

#include <algorithm>
#include <optional>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>

namespace stencilgen::scop {
namespace {

constexpr std::size_t kMostCases = 4;

/// The constraints of a set of one part; empty where one of them is not linear.
std::optional<std::vector<LinearCondition>> ConditionsOf(const isl::set& set) {
  if (isl_set_n_basic_set(set.get()) != 1) return std::nullopt;
  struct Found {
    std::vector<LinearCondition> conditions;
    bool all = true;
  } found;
  const auto add = [](isl_constraint* constraint, void* data) {
    auto* to = static_cast<Found*>(data);
    const bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    const isl::aff form = isl::manage(isl_constraint_get_aff(constraint));
    isl_constraint_free(constraint);
    auto linear = FormOf(form);
    to->all = to->all && linear.has_value();
    if (linear) to->conditions.push_back({*std::move(linear), equal});
    return isl_stat_ok;
  };
  isl_basic_set_list* parts = isl_set_get_basic_set_list(set.get());
  isl_basic_set* part = isl_basic_set_list_get_basic_set(parts, 0);
  isl_basic_set_list_free(parts);
  const isl_stat status = isl_basic_set_foreach_constraint(part, add, &found);
  isl_basic_set_free(part);
  if (status != isl_stat_ok || !found.all) return std::nullopt;
  return found.conditions;
}

}  // namespace

std::vector<SubscriptCase> FindSubscriptCases(const isl::map& map, std::size_t d) {
  const isl::pw_aff function = OutputOf(map, d);
  const isl::set domain = function.domain();
  std::vector<SubscriptCase> cases;
  bool all = true;
  function.gist(domain).foreach_piece([&](const isl::set& set, const isl::multi_aff& value) {
    auto form = FormOf(value.at(0));
    auto conditions = ConditionsOf(set.gist(domain).coalesce());
    all = all && form && conditions;
    if (all) cases.push_back({*std::move(conditions), *std::move(form)});
  });
  if (!all || cases.size() > kMostCases || cases.empty()) return {};
  // The fewest comparisons: the case with the most conditions is what is left.
  std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
    return a.conditions.size() < b.conditions.size();
  });
  cases.back().conditions.clear();
  return cases;
}

}  // namespace stencilgen::scop
