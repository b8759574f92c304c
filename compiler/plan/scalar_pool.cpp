#include "plan/scalar_pool.h"

namespace stencilgen::plan {

using graph::ArrayId;
using graph::VersionId;

ScalarPool::ScalarPool(Plan& plan, const VersionUses& uses, NameTable& names)
    : plan_(plan), uses_(uses), names_(names) {
  variables_of_.resize(plan.graph.arrays.size());
}

int ScalarPool::Add(ArrayId array, std::string name) {
  const int variable = static_cast<int>(plan_.scalars.size());
  plan_.scalars.emplace_back(std::move(name), plan_.graph.arrays[array].type);
  variables_of_[array.index].push_back(variable);
  held_.push_back({});
  return variable;
}

void ScalarPool::AddProgramScalar(ArrayId array, VersionId initial) {
  const int variable = Add(array, plan_.graph.arrays[array].name);
  if (initial.Valid()) Hold(variable, initial);
}

int ScalarPool::Define(VersionId version, graph::RegionId region, int place) {
  for (int variable : variables_of_[plan_.graph.versions[version].array.index]) {
    const VersionId held = held_[static_cast<std::size_t>(variable)];
    if (!held.Valid() || uses_.last_use[held.index] == VersionUses::kNever ||
        uses_.DiesAt(held, region, place)) {
      Hold(variable, version);
      return variable;
    }
  }
  return DefineNew(version);
}

int ScalarPool::DefineNew(VersionId version) {
  const ArrayId array = plan_.graph.versions[version].array;
  const int variable = Add(array, names_.Unique(plan_.graph.arrays[array].name));
  Hold(variable, version);
  return variable;
}

void ScalarPool::Hold(int variable, VersionId version) {
  held_[static_cast<std::size_t>(variable)] = version;
  plan_.scalar_of[version.index] = variable;
}

void ScalarPool::Release(VersionId version) {
  const int variable = plan_.scalar_of[version.index];
  if (variable < 0) return;
  VersionId& held = held_[static_cast<std::size_t>(variable)];
  if (held == version) held = {};
}

}  // namespace stencilgen::plan
