#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/names.h"
#include "plan/plan.h"
#include "plan/version_uses.h"

namespace stencilgen::plan {

/// The host variables of rank-0 versions of a plan in the making.
class ScalarPool {
 public:
  ScalarPool(Plan& plan, const VersionUses& uses, NameTable& names);

  /// The variable of a program-level scalar, holding its initial version.
  void AddProgramScalar(graph::ArrayId array, graph::VersionId initial);

  /// A variable for `version`, assigned at that place: one of its array's whose value nobody needs
  /// after it, else a new one.
  int Define(graph::VersionId version, graph::RegionId region, int place);
  /// A variable of its own for `version`.
  int DefineNew(graph::VersionId version);
  /// From now on the variable stands for `version`.
  void Hold(int variable, graph::VersionId version);
  /// Frees the version's variable, unless it stands for another one by now.
  void Release(graph::VersionId version);

 private:
  int Add(graph::ArrayId array, std::string name);

  Plan& plan_;
  const VersionUses& uses_;
  NameTable& names_;
  std::vector<graph::VersionId> held_;          ///< by variable
  std::vector<std::vector<int>> variables_of_;  ///< by array
};

}  // namespace stencilgen::plan
