#pragma once

#include <vector>

#include "graph/graph.h"

namespace stencilgen::plan {

/// Where each version is defined and last used, by version index. A use inside a nested loop
/// counts at that loop's place in the region that owns the version.
struct VersionUses {
  static constexpr int kNever = -2;
  static constexpr int kLiveOut = 0x7fffffff;

  std::vector<graph::RegionId> owner;  ///< the region that defines the version
  std::vector<int> last_use;           ///< index in the owner's nodes, kLiveOut or kNever
  std::vector<int> uses_at_last;       ///< how many uses there are at that place
  std::vector<bool> contents_used;     ///< used other than as a background overwritten everywhere
  std::vector<int> position;           ///< by node index: its place in its region
  /// By node index: the versions of its region whose last use it is, and its own results that
  /// nobody uses.
  std::vector<std::vector<graph::VersionId>> dying;

  /// True where nobody needs `version` after the node at `position` of `region`.
  bool DiesAt(graph::VersionId version, graph::RegionId region, int place) const {
    return owner[version.index] == region && last_use[version.index] == place;
  }
};

/// Linear in the number of accesses.
VersionUses FindVersionUses(const graph::Graph& graph);

}  // namespace stencilgen::plan
