#pragma once

#include <vector>

#include "kernel/value_dag.h"
#include "lower/cpp/vector_nest.h"
#include "lower/options.h"
#include "plan/loop_nest.h"

namespace stencilgen::lower::cpp {

/// The operator's code at a box of points, by iterator, in the order of the program.
kernel::Body LowerBox(const graph::Graph& graph, const graph::Operator& op,
                      const std::vector<int>& points, kernel::Distribute distribute);

/// What a box becomes in vectors: in that order, with loads for the registers of a CPU. `box` is
/// LowerBox of the operator at those points.
VectorKernel OrderBox(kernel::Body box, const std::vector<int>& points, plan::NestOrder order,
                      const passes::ReorderOptions& reorder);

/// What the nest asks for. Requires: nest.vectors; MayUseVectors, FitsVectors of the operator.
VectorKernel MakeVectorKernel(const graph::Graph& graph, const graph::Operator& op,
                              const plan::LoopNest& nest, const Options& options);

}  // namespace stencilgen::lower::cpp
