#include "passes/simplify_boundaries.h"

#include <algorithm>
#include <utility>

#include "graph/regions.h"

namespace stencilgen::passes {

using graph::Access;
using graph::Boundary;
using graph::BoundaryKind;

graph::Graph SimplifyBoundaries(graph::Graph graph) {
  for (const graph::NodeId node : graph.nodes.Ids()) {
    const auto* op = std::get_if<graph::Operator>(&graph.nodes[node]);
    if (op == nullptr) continue;
    for (const graph::ExprId id : graph::Accesses(graph, *op)) {
      auto& access = std::get<Access>(graph.exprs[id].node);
      if (access.boundary.empty()) continue;
      const graph::Array& array = graph.arrays[graph.versions[access.version].array];
      const graph::Box whole = graph::WholeArray(array);
      for (std::size_t d = 0; d < access.boundary.size(); ++d) {
        const graph::Interval reached = graph::IndexValues(*op, access.indices[d]);
        if (AlwaysContains(whole[d], reached)) access.boundary[d] = {};
      }
      const bool none =
          std::all_of(access.boundary.begin(), access.boundary.end(),
                      [](const Boundary& mode) { return mode.kind == BoundaryKind::None; });
      if (none) access.boundary.clear();
    }
  }
  return graph;
}

}  // namespace stencilgen::passes
