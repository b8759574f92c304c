#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "passes/repeat_operators.h"

/// Which arrays SplitComponents takes apart.
namespace stencilgen::passes {

struct ComponentArrays {
  std::vector<std::int64_t> counts;  ///< by array: its components; 0: it stays as it is
  std::vector<std::optional<RepeatedOperator>> repeated;  ///< by node

  bool Any() const;
};

/// Arrays with two dimensions or more, the first of a few elements, whose elements are always
/// taken by a number along it, or by an iterator of the operator whose values are known; and of
/// whose components some statement writes one, of more than 8 statements write half of them: what
/// is written as a whole is as good together. An axis of a grid is left alone, which statements
/// read at neighbours. Arrays that hand on their contents to one another are taken apart together,
/// or stay.
ComponentArrays FindComponentArrays(const graph::Graph& graph);

}  // namespace stencilgen::passes
