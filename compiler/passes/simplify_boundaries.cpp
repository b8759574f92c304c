#include "passes/simplify_boundaries.h"

#include <algorithm>
#include <utility>

#include "graph/regions.h"

namespace stencilgen::passes {

using graph::Access;
using graph::Boundary;
using graph::BoundaryKind;

namespace {

/// True where every value of the index on the operator's domain is an element's.
bool StaysInside(const graph::Operator& op, const graph::Index& index,
                 const graph::LinearForm& extent) {
  const graph::Interval inside{{{graph::LinearForm::Constant(0), 1}}, {{extent - 1, 1}}};
  return AlwaysContains(inside, graph::IndexValues(op, index));
}

}  // namespace

graph::Graph SimplifyBoundaries(graph::Graph graph) {
  for (const graph::NodeId node : graph.nodes.Ids()) {
    const auto* op = std::get_if<graph::Operator>(&graph.nodes[node]);
    if (op == nullptr) continue;
    for (const graph::ExprId id : graph::Accesses(graph, *op)) {
      auto& access = std::get<Access>(graph.exprs[id].node);
      const graph::Array& array = graph.arrays[graph.versions[access.version].array];
      for (std::size_t d = 0; d < access.boundary.size(); ++d) {
        if (StaysInside(*op, access.indices[d], array.extents[d])) access.boundary[d] = {};
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
