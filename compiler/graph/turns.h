#pragma once

#include <set>

#include "graph/graph.h"

/// The turns of loops as values (Loop::turn): who depends on them.
namespace stencilgen::graph {

bool HasTurn(const Interval& interval);
bool HasTurn(const std::vector<Index>& indices);

/// True where it may depend on the turn of a loop which elements the operator writes, or whether it
/// writes any.
bool WritesByTurn(const Operator& op);

/// True where a condition may end some loop before its turns are over: what is counted by turns is
/// then the most there is.
bool MayEndEarly(const Graph& graph);

/// The turns of loops that the operator needs to know.
std::set<ParameterId> TurnsUsed(const Graph& graph, const Operator& op);

}  // namespace stencilgen::graph
