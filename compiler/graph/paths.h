#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/dependences.h"

namespace stencilgen::graph {

/// Which nodes of an acyclic graph are reachable from which, kept up to date while nodes are merged
/// ([S] 3.5.3: G_trans). Nodes are numbers from 0; a merged node keeps the smaller number.
class Paths {
 public:
  /// Edges (from, to). Requires: no cycle.
  Paths(std::size_t nodes, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

  /// True where a path of at least one edge leads from `from` to `to`.
  bool Reaches(std::size_t from, std::size_t to) const { return Has(after_, from, to); }
  /// True where such a path leads through a third node, in either direction: merging the two would
  /// make a node that is not convex.
  bool SeparatedByOthers(std::size_t a, std::size_t b) const;
  /// Makes one node of both, numbered min(a, b). Requires: a != b, !SeparatedByOthers(a, b), both
  /// are still nodes.
  void Merge(std::size_t a, std::size_t b);

 private:
  using Row = std::vector<std::uint64_t>;

  static bool Has(const std::vector<Row>& rows, std::size_t row, std::size_t bit) {
    return (rows[row][bit / 64] >> (bit % 64) & 1) != 0;
  }
  static void Set(Row& row, std::size_t bit) { row[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  static void Clear(Row& row, std::size_t bit) {
    row[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  }
  bool ThroughThird(std::size_t from, std::size_t to) const;

  std::vector<Row> after_;   ///< by node: those that it reaches
  std::vector<Row> before_;  ///< by node: those that reach it
  std::vector<bool> alive_;
};

/// The paths between the nodes of a region, by place in it, along these dependences between them.
Paths FindPaths(const Graph& graph, RegionId region, const std::vector<Dependence>& dependences);

}  // namespace stencilgen::graph
