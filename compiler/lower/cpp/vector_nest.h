#pragma once

#include "kernel/body.h"
#include "lower/cpp/nest_parts.h"
#include "lower/cpp/vector_body.h"

namespace stencilgen::lower::cpp {

/// A body, and the box of points that it computes, by iterator of its operator, outermost first; of
/// the last iterator it computes a pack.
struct VectorKernel {
  kernel::Body body;
  kernel::Body written;  ///< in the order of the program
  FetchPlan plan;        ///< of the body
  std::vector<int> points;
  VectorStyle style;
};

/// The loop nest that computes boxes of points in vectors, in parallel over the outermost
/// iterator. What boxes do not cover is computed point by point.
/// Requires: MayUseVectors, FitsVectors.
LoweredNest LowerVectorNest(const ProgramModel& model, plan::KernelId kernel,
                            const VectorKernel& vectors, NestPoints points);

}  // namespace stencilgen::lower::cpp
