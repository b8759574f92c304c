#pragma once

#include <functional>
#include <string>

#include "graph/graph.h"

namespace stencilgen::baseline {

/// Names that an expression needs.
struct ExprNames {
  std::function<std::string(graph::VersionId)> version;  ///< of an array's pointer, or a scalar
  std::function<std::string(int let)> let;
};

/// Plain C++ or CUDA for an expression, as it is written in the program. `reciprocals`: quotients
/// by a literal become products, as -ffast-math does and nvcc does not.
std::string PlainExpr(const graph::Graph& graph, graph::ExprId expr, const ExprNames& names,
                      bool reciprocals);

/// `2*M + 3`
std::string PlainForm(const graph::Graph& graph, const graph::LinearForm& form);

/// `(j*N + i)` for an element of the array.
std::string PlainPosition(const graph::Graph& graph, const graph::Array& array,
                          const std::vector<std::string>& indices);

/// `j + 1` for an index.
std::string PlainIndex(const graph::Graph& graph, const graph::Index& index);

}  // namespace stencilgen::baseline
