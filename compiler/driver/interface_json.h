#pragma once

#include <string>

#include "graph/graph.h"

namespace stencilgen::driver {

/// What the program's host function is called with, as a JSON object, for tools that call it from
/// other languages: `function`, `iterators`, `parameters` (`name`, `default` and `fixed`, null
/// where there is none) and `arguments`, the arrays and scalars in the order in which the function
/// takes them, before the parameters: `name`, `type`, `in`, `out`, `constant`, and an entry of
/// `extents` a dimension, outermost first, none of a scalar: its `text`, and the same as a
/// `constant` and factors of parameters in `terms`.
/// Ensures: ends with a line break; what stands in it depends on the program and `-D` alone.
std::string InterfaceJson(const graph::Graph& graph);

}  // namespace stencilgen::driver
