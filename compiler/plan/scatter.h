#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "plan/schedule.h"

namespace stencilgen::plan {

/// A sum over planes, taken apart by plane ([S] 3.4.2, Algorithm 3.2 and Listing 3.2): the plane at
/// distance `first` of a result's own adds parts[0] to it, and so on to parts.back().
struct Scatter {
  /// The let that `finish` refers to: the sum of all parts.
  static constexpr int kSum = -1;

  std::int64_t first = 0;
  std::vector<graph::ExprId> parts;  ///< invalid where the plane adds nothing
  graph::ExprId finish;              ///< the operator's value, from the sum

  std::int64_t last() const { return first + static_cast<std::int64_t>(parts.size()) - 1; }
};

/// The operator's value by planes along dimension `stream`; empty where it is not a sum of terms
/// that each read one plane at fixed distances, or all planes are one. Adds expressions to the
/// graph. The terms of a plane are summed before they are added: rounding differs.
std::optional<Scatter> FindScatter(graph::Graph& graph, const graph::Operator& op,
                                   std::size_t stream);

/// The same along the schedule's stream; empty also where it has none, or where its form is
/// Form::Gather.
std::optional<Scatter> FindScatter(graph::Graph& graph, const graph::Operator& op,
                                   const Schedule& schedule);

}  // namespace stencilgen::plan
