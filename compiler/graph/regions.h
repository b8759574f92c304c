#pragma once

#include <vector>

#include "graph/graph.h"

/// Boxes of array elements: one interval a dimension.
namespace stencilgen::graph {

using Box = std::vector<Interval>;

/// [0, extent - 1].
Interval WholeExtent(const LinearForm& extent);
/// The same in every dimension.
Box WholeArray(const Array& array);

/// The values the index takes on the operator's domain, as an interval that holds them all.
/// Requires: the operator has the index's iterator.
Interval IndexValues(const Operator& op, const Index& index);

/// The elements the operator writes where its domain is not empty.
Box WrittenBox(const Operator& op);
/// True where the left side walks every dimension in steps of one, each by an iterator of its own
/// or none: over a box of points it then writes a box. `B[i][i]` writes a diagonal.
bool WalksBox(const std::vector<Index>& target);
/// True where the operator writes every element of WrittenBox, for any parameters: no guard, and
/// each dimension walked by an iterator of its own in steps of one.
bool WritesWholeBox(const Operator& op);

/// The elements of `array` that the access reads on the operator's domain.
Box ReadBox(const Operator& op, const Access& access, const Array& array);

/// The smallest interval with known bounds that holds both. Where no bound of either holds for
/// both, it is that of `limit`, which must hold both.
Interval Hull(const Interval& a, const Interval& b, const Interval& limit);

/// A box that holds `box` less `hole`; empty where nothing is left.
std::vector<Box> Remainder(const Box& box, const Box& hole);

}  // namespace stencilgen::graph
