#include "lower/cpp/kernel.h"

#include "lower/cpp/choose_vectors.h"
#include "lower/cpp/loop_nest.h"

namespace stencilgen::lower::cpp {

LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel) {
  if (const auto vectors = ChooseVectors(model, kernel)) {
    return LowerVectorNest(model, kernel, *vectors);
  }
  return LowerLoopNest(model, kernel);
}

}  // namespace stencilgen::lower::cpp
