#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scop/program_writer.h"

namespace stencilgen::scop {

/// Steps that one stencil computes, and where.
struct Run {
  std::vector<std::size_t> steps;
  Frame frame;
  std::vector<std::size_t> from_last;  ///< by coordinate: dimensions of the array behind it
};

/// The steps of an order, in runs of those that one stencil can compute: they stand one after the
/// other and have the same loops. Reports steps whose elements say nothing about the point, and
/// scalars that a run reads and another one sets.
std::vector<Run> FindRuns(const Model& model, const Order& order, DiagnosticSink& sink);

}  // namespace stencilgen::scop
