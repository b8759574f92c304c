#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::sema {

/// The points of a statement: one interval for *every* iterator of the program (possibly unbounded)
/// and conditions on parameters.
struct PointSet {
  std::vector<graph::Interval> intervals;
  std::vector<graph::LinearForm> guards;
  friend bool operator==(const PointSet&, const PointSet&) = default;
};

/// All points.
PointSet Everywhere(int iterators);

/// Adds form >= 0, unless it always holds or is there already.
void AddGuard(PointSet& set, const graph::LinearForm& form);

/// Keeps the points where `index` lies in `allowed`.
void Constrain(PointSet& set, const graph::Index& index, const graph::Interval& allowed);

PointSet Intersect(PointSet a, const PointSet& b);

/// True where inner is a subset of outer for all parameters.
bool AlwaysContains(const PointSet& outer, const PointSet& inner);

/// The part of a local array or point-local scalar that has been computed: a union of boxes, kept
/// as one box. One interval a dimension of the array (a scalar: an iterator).
struct Coverage {
  bool any = false;
  bool is_box = true;  ///< false: the union of the assignments is not a box
  PointSet box;
};

/// Adds a box; `is_box` becomes false where the union is not provably a box again.
void AddBox(Coverage& coverage, const PointSet& box);

}  // namespace stencilgen::sema
