#pragma once

#include <vector>

#include "distribute/distributed.h"

namespace stencilgen::distribute {

/// True where every rank computes all of what the operator computes, since its result follows no
/// axis of the grid. A reduction is so where it reads nothing that ranks share.
bool IsReplicated(const graph::Graph& graph, const Grid& grid, const graph::Operator& op);

/// Puts what ranks must do together into operators of their own, and new arrays into the grid:
///
///     s = sum in lanes of E         v[j][i] = E;  s = sum in lanes of v[j][i]
///     r[k] = ... u[row[k]][5] ...   c[k] = u[row[k]][5];  r[k] = ... c[k] ...
///
/// The program means the same. Returns the second and the first ones of these.
/// Requires: the grid is the graph's.
std::vector<Collective> SeparateCollectives(graph::Graph& graph, Grid& grid);

}  // namespace stencilgen::distribute
