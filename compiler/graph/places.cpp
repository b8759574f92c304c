#include "graph/places.h"

#include <algorithm>

namespace stencilgen::graph {

bool HasPlace(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [](const Index& index) { return index.place.Valid(); });
}

bool ReadsAtPlaces(const Graph& graph, const Operator& op) {
  const std::vector<ExprId> accesses = Accesses(graph, op);
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](ExprId id) { return HasPlace(std::get<Access>(graph.exprs[id].node)); });
}

}  // namespace stencilgen::graph
