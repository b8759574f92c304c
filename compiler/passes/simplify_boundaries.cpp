#include "passes/simplify_boundaries.h"

#include <algorithm>
#include <utility>

#include "graph/extrapolated.h"
#include "graph/regions.h"

namespace stencilgen::passes {

using graph::Access;
using graph::Boundary;
using graph::BoundaryKind;

namespace {

/// An element that always exists is no line through two.
void FoldExtrapolated(graph::Graph& graph) {
  for (const graph::ExprId id : graph.exprs.Ids()) {  // operands before what is made of them
    const graph::Binary* line = graph::Extrapolated(graph, id);
    if (line == nullptr) continue;
    const auto& slope = std::get<graph::Binary>(graph.exprs[line->rhs].node);
    if (!graph::AreSameElement(graph, line->lhs, slope.lhs)) continue;
    graph.exprs[id] = graph::Expr(graph.exprs[line->lhs]);
  }
}

}  // namespace

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
  FoldExtrapolated(graph);
  return graph;
}

}  // namespace stencilgen::passes
