#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::graph {

/// The graph as deterministic text: parameters, arrays, then nodes in order, loops indented, e.g.
///   out.1 = average [j in 1..M - 2, i in 1..N - 2] over out.0: 0.2*(in.0[j - 1][i] + ...)
std::string Print(const Graph& graph);
std::string PrintExpr(const Graph& graph, const Operator& op, ExprId expr);
std::string PrintDomain(const Graph& graph, const Operator& op);
/// `T`, or `t : T` where the loop names its turn; `names` by parameter index.
std::string TurnsText(const Loop& loop, const std::vector<std::string>& names);

/// ` until done.0 every 10`; empty where only its turns end the loop. `names` by parameter index,
/// `versions` by version.
std::string StopText(const Loop& loop, const std::vector<std::string>& names,
                     const std::vector<std::string>& versions);

/// VersionName of every version, by index.
std::vector<std::string> VersionNames(const Graph& graph);

/// Operators that are drawn in one box.
struct DotCluster {
  std::string label;
  std::vector<NodeId> nodes;  ///< of one region, not empty
};

/// Graphviz: one node an operator, loops as clusters, edges labelled with kind (RAW, WAR, WAW) and
/// distance. Requires: no operator is in two clusters.
std::string PrintDot(const Graph& graph, const std::vector<DotCluster>& clusters = {});

}  // namespace stencilgen::graph
