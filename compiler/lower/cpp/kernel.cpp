#include "lower/cpp/kernel.h"

#include "lower/cpp/loop_nest.h"
#include "lower/cpp/matrix_nest.h"
#include "lower/cpp/reduction_nest.h"
#include "lower/cpp/sweep_in_place.h"
#include "lower/cpp/vector_kernel.h"
#include "plan/operator_facts.h"

namespace stencilgen::lower::cpp {

LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel, NestPoints points) {
  if (plan::FindReduction(model.graph(), model.plan().kernels[kernel].ops))
    return LowerReduction(model, kernel);
  if (model.plan().kernels[kernel].matrix) return LowerMatrixNest(model, kernel);
  const bool in_place = model.plan().kernels[kernel].held.has_value();
  if (in_place && points == NestPoints::All) return LowerSweepInPlace(model, kernel);
  const auto& nest = model.plan().kernels[kernel].nest;
  if (!nest || !nest->vectors) return LowerLoopNest(model, kernel, points);
  return LowerVectorNest(
      model, kernel,
      MakeVectorKernel(model.graph(), model.OperatorOf(kernel), *nest, model.options()), points);
}

}  // namespace stencilgen::lower::cpp
