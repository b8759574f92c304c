#pragma once

#include <vector>

#include "graph/graph.h"

/// What the planner and its verifier ask about one operator.
namespace stencilgen::plan {

/// True where the operator reads some element of `version`.
bool Reads(const graph::Graph& graph, const graph::Operator& op, graph::VersionId version);

/// True where the operator's target is plain in every dimension of its array, each time with
/// another iterator: what it writes is then a box.
bool HasPlainTarget(const graph::Operator& op);

/// True where each point writes an element of its own: `B[j][i]`, or `B[2][j][i]`, a component.
bool WritesOwnElements(const graph::Operator& op);

/// True where the elements differ in a component, whatever the points are: `B[0][j]` and `B[1][i]`.
bool AreOtherComponents(const std::vector<graph::Index>& a, const std::vector<graph::Index>& b);

/// True where the operator adds up (or takes the least, ...) points in several lanes.
bool IsInLanes(const graph::Operator& op);

/// The first of the operators that is a reduction; null where none is.
const graph::Operator* FindReduction(const graph::Graph& graph,
                                     const std::vector<graph::NodeId>& ops);

/// True where a boundary mode is about what the access reads, or about something that the operator
/// reads.
bool HasModes(const graph::Access& access);
bool HasModes(const graph::Graph& graph, const graph::Operator& op);

/// True where no guard keeps the operator from running, for every choice of parameters.
bool AlwaysRuns(const graph::Operator& op);

/// True where the operator's domain holds every element of its array along the dimension, for every
/// choice of parameters. Requires: the operator's iterators are those of its array's dimensions.
bool CoversDimension(const graph::Graph& graph, const graph::Operator& op, std::size_t d);

/// True where the operator writes every element of its array, for every choice of parameters.
bool CoversArray(const graph::Graph& graph, const graph::Operator& op);

/// True where both certainly write the same elements of arrays of one shape.
bool WritesSameElements(const graph::Operator& a, const graph::Operator& b);

}  // namespace stencilgen::plan
