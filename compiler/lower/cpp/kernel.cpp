#include "lower/cpp/kernel.h"

#include "lower/cpp/choose_vectors.h"
#include "lower/cpp/loop_nest.h"

namespace stencilgen::lower::cpp {

LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel, NestPoints points) {
  if (const auto vectors = ChooseVectors(model, kernel)) {
    return LowerVectorNest(model, kernel, *vectors, points);
  }
  return LowerLoopNest(model, kernel, points);
}

}  // namespace stencilgen::lower::cpp
