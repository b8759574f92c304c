#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::passes {

/// Whether values that several points compute become arrays: where that is faster, or wherever they
/// can, or nowhere.
enum class Sharing { Auto, Always, Never };

/// A graph in which values are shared, and the names of the arrays that hold them.
struct SharedValues {
  graph::Graph graph;
  std::vector<std::string> arrays;
};

/// Computes once what several points compute: a value with a division, a root or a function that
/// statements of a region take from two places or more beside them (`sqrt(g*h[j][i-1])` and
/// `sqrt(g*h[j][i])`) becomes a local array of its own, which they read. This is elimination of
/// array common subexpressions (Deitz, Chamberlain, Snyder, ICS 2001; across iterations in Devito:
/// Luporini et al., ACM TOMS 46(1), 2020, section 5). What surrounds such a value comes along where
/// it is used nowhere else (`a*sqrt(x) + b`).
///
/// `least`: divisions (graph::SlowOperations) a point that an array must save, at least 1.
/// A value is left alone where statements compute at domains that have no constant distance, on
/// walls (a few points, as many at all sizes), and where a boundary mode would not give the array's
/// elements outside: `constant(v)`, and others than `wrap` for values of several elements.
///
/// Requires: graph::Verify(graph) is empty. Ensures: it still is; outputs are the same, bit for
/// bit; no array where nothing was shared.
SharedValues ShareValues(graph::Graph graph, std::int64_t least);

}  // namespace stencilgen::passes
