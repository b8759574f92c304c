#pragma once

#include <cstddef>
#include <string>

#include "graph/graph.h"
#include "support/diagnostics.h"

/// What is said where ranks cannot share the points of a program.
namespace stencilgen::distribute {

/// Why ranks cannot share the points along an iterator.
struct Refusal {
  Span span;
  std::string why;
  std::string hint;  ///< empty: what holds for all programs
};

void ReportNoAxis(DiagnosticSink& sink, const std::string& iterator, const Refusal& refusal);
/// No statement computes an array point by point.
void ReportNoGrid(DiagnosticSink& sink, Span span);

/// The hint that dimension `d` of the array should have `extent` elements, as arrays that wrap
/// around have: what it has beside them may be copies of its edge.
std::string AskForRing(const graph::Graph& graph, graph::ArrayId id, std::size_t d,
                       const graph::LinearForm& extent);

}  // namespace stencilgen::distribute
