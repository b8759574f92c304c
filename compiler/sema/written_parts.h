#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/regions.h"

namespace stencilgen::sema {

/// The elements along a dimension whose index less `first` is a multiple of `stride`. A stride of
/// 0: `first` alone.
struct Phase {
  std::int64_t stride = 1;
  graph::LinearForm first;
};

/// Elements of an array: those of a box that are in each dimension's phase.
struct Part {
  graph::Box box;
  std::vector<Phase> phases;
};

/// All elements of a box.
Part WholeBox(graph::Box box);

/// What the operator writes, where its domain is not empty and its guards hold. Empty where that is
/// no part of this form: a diagonal, and reductions into lanes.
std::optional<Part> PartWritten(const graph::Operator& op);

/// A part that holds all that the access reads.
Part PartRead(const graph::Operator& op, const graph::Access& access, const graph::Array& array);

/// True where each element of `inner` is in `outer`, for all parameters.
bool Contains(const Part& outer, const Part& inner);

/// Adds a part to those that have been written, merging it with parts that it extends, and parts
/// that have every phase of a dimension between them.
void Join(std::vector<Part>& parts, Part part);

/// Changes each form of a part.
void ForEachForm(Part& part, const std::function<void(graph::LinearForm&)>& change);
/// True where a form of the part, or of the interval, satisfies the condition.
bool AnyForm(const Part& part, const std::function<bool(const graph::LinearForm&)>& condition);
bool AnyForm(const graph::Interval& interval,
             const std::function<bool(const graph::LinearForm&)>& condition);

}  // namespace stencilgen::sema
