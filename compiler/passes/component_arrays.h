#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

/// Which arrays SplitComponents takes apart.
namespace stencilgen::passes {

/// An operator that is repeated, once for each value of an iterator of its own that counts
/// components.
struct RepeatedOperator {
  int iterator = 0;
  graph::Range values;  ///< not empty
};

struct ComponentArrays {
  std::vector<std::int64_t> counts;  ///< by array: its components; 0: it stays as it is
  std::vector<std::optional<RepeatedOperator>> repeated;  ///< by node

  bool Any() const;
};

/// Arrays with two dimensions or more, the first of a few elements, whose elements are always
/// taken by a number along it, or by an iterator of the operator whose values are known; and of
/// whose components some statement writes one. Arrays that hand on their contents to one another
/// are taken apart together, or stay.
ComponentArrays FindComponentArrays(const graph::Graph& graph);

}  // namespace stencilgen::passes
