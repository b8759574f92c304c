#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

enum class DependenceKind : std::uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };

/// Smallest and largest offset of the accesses along one iterator. Unknown where an access is not
/// `iterator + constant` there (scaled, transposed, constant or boundary-wrapped).
struct Distance {
  std::int64_t min = 0;
  std::int64_t max = 0;
  bool known = true;
  friend bool operator==(const Distance&, const Distance&) = default;
};

/// `to` must come after `from`. One distance an iterator of the program.
struct Dependence {
  DependenceKind kind = DependenceKind::ReadAfterWrite;
  NodeId from, to;
  VersionId version;  ///< RAW: the version read; WAR, WAW: the version overwritten
  std::vector<Distance> distance;
};

/// All dependences between the operators of one region, in order of `to`, then `from`. A loop
/// counts as one node, with unknown distances. Linear in the number of accesses.
/// WAR and WAW follow background chains: an operator overwrites its background in place, so
/// readers of the background come first.
std::vector<Dependence> FindDependences(const Graph& graph, RegionId region);

}  // namespace stencilgen::graph
