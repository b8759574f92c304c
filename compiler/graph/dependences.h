#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

enum class DependenceKind : std::uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite,
  ReadAfterRead  ///< no order: two operators that read the same version
};

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
  VersionId version;  ///< RAW, RAR: the version read; WAR, WAW: the version overwritten
  std::vector<Distance> distance;
};

/// All dependences between the operators of one region, in order of `to`, then `from`. A loop
/// counts as one node, with unknown distances. Linear in the number of accesses.
/// WAR and WAW follow background chains: an operator overwrites its background in place, so
/// readers of the background come first.
std::vector<Dependence> FindDependences(const Graph& graph, RegionId region);

/// Pairs of operators of the region that read the same version (ReadAfterRead), in the same order,
/// scalars and constant arrays aside. `distance`: from the smallest offset at which `to` reads less
/// the largest of `from`, to the largest less the smallest. Quadratic in the readers of a version.
std::vector<Dependence> FindSharedReads(const Graph& graph, RegionId region);

/// True where the operator accumulates: the version before is read where it is written, and nowhere
/// else, as `u += x` does. `to` then overwrites `from`'s result rather than reading it ([S] 3.5.2).
bool Accumulates(const Graph& graph, const Operator& op);

}  // namespace stencilgen::graph
