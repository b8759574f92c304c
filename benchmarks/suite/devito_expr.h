#pragma once

#include <functional>
#include <string>

#include "graph/graph.h"

namespace stencilgen::suite {

/// Names that an expression in Python needs.
struct DevitoNames {
  /// An element, or a scalar; empty where there is no way to write it.
  std::function<std::string(const graph::Access&)> element;
  std::function<std::string(int let)> let;
};

/// The expression in Python, over Devito's symbols. Sets `problem` where it has no natural form.
std::string DevitoExpr(const graph::Graph& graph, graph::ExprId expr, const DevitoNames& names,
                       std::string& problem);

}  // namespace stencilgen::suite
