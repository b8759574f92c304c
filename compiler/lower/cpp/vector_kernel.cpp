#include "lower/cpp/vector_kernel.h"

#include <cstdint>
#include <utility>

#include "kernel/lower_body.h"
#include "passes/latencies.h"
#include "support/check.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Body;
using kernel::ValueId;
using passes::Reorder;

/// Registers that bodies are made for: those of AVX2; AVX-512 has twice as many, and packs of two.
constexpr int kRegisters = 16;

Reorder SchedulerOf(plan::NestOrder order) {
  switch (order) {
    case plan::NestOrder::Program:
      return Reorder::None;
    case plan::NestOrder::Trees:
      return Reorder::Trees;
    case plan::NestOrder::Lars:
      return Reorder::Lars;
    case plan::NestOrder::LarsRows:
      return Reorder::LarsRows;
    case plan::NestOrder::LarsCoefficients:
      return Reorder::LarsCoefficients;
  }
  STENCILGEN_CHECK(false);
  return Reorder::None;
}

/// The body with uniform values as elements of a row, which take registers.
Body WithUniformsInRegisters(Body body) {
  graph::Index along;
  along.iterator = 0;
  along.coefficient = 1;
  graph::Access access;
  access.indices = {along};
  for (kernel::Value& value : body.values) {
    if (IsUniform(value)) value.what = kernel::Element{access};
  }
  return body;
}

/// The body in the order that a scheduler gives it. Coefficients take registers on this target.
Body Ordered(const Body& body, Reorder how, passes::ReorderOptions options) {
  options.how = how;
  options.latencies = passes::kCpuLatencies;
  options.registers = passes::kCpuRegisters;
  Body ordered = passes::ReorderBody(WithUniformsInRegisters(body), options);
  for (ValueId id : body.values.Ids()) ordered.values[id].what = body.values[id].what;
  return ordered;
}

}  // namespace

kernel::Body LowerBox(const graph::Graph& graph, const graph::Operator& op,
                      const std::vector<int>& points, kernel::Distribute distribute) {
  std::vector<std::vector<std::int64_t>> offsets(points.size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (int k = 0; k < points[n]; ++k) offsets[n].push_back(k);
  }
  return kernel::LowerBody(graph, {&op}, kernel::StatementsAt(1, offsets), distribute);
}

VectorKernel OrderBox(kernel::Body box, const std::vector<int>& points, plan::NestOrder order,
                      const passes::ReorderOptions& reorder) {
  const Reorder how = SchedulerOf(order);
  Body ordered = how == Reorder::None ? box : Ordered(box, how, reorder);
  FetchPlan plan = PlanFetches(ordered, kRegisters);
  return {std::move(ordered), std::move(box), std::move(plan), points, {}};
}

VectorKernel MakeVectorKernel(const graph::Graph& graph, const graph::Operator& op,
                              const plan::LoopNest& nest, const Options& options) {
  const kernel::Distribute distribute = options.fp == FpMode::Strict ? kernel::Distribute::AsWritten
                                        : options.distribute         ? kernel::Distribute::Always
                                                             : kernel::Distribute::WhereFree;
  VectorKernel kernel = OrderBox(LowerBox(graph, op, nest.points, distribute), nest.points,
                                 nest.order, options.reorder);
  kernel.style.vectors = nest.pack;
  return kernel;
}

}  // namespace stencilgen::lower::cpp
