#include "lower/cpp/kernel.h"

#include "lower/cpp/loop_nest.h"
#include "lower/cpp/vector_kernel.h"

namespace stencilgen::lower::cpp {

LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel, NestPoints points) {
  const auto& nest = model.plan().kernels[kernel].nest;
  if (!nest || !nest->vectors) return LowerLoopNest(model, kernel, points);
  return LowerVectorNest(
      model, kernel,
      MakeVectorKernel(model.graph(), model.OperatorOf(kernel), *nest, model.options()), points);
}

}  // namespace stencilgen::lower::cpp
