#include "codegen/cpp/kernel.h"

#include "codegen/cpp/choose_vectors.h"
#include "codegen/cpp/loop_nest.h"

namespace stencilgen::codegen::cpp {

LoweredNest LowerKernel(const ProgramModel& model, plan::KernelId kernel) {
  if (const auto vectors = ChooseVectors(model, kernel)) {
    return LowerVectorNest(model, kernel, *vectors);
  }
  return LowerLoopNest(model, kernel);
}

}  // namespace stencilgen::codegen::cpp
