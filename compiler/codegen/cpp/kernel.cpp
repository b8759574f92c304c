#include "codegen/cpp/kernel.h"

#include "codegen/cpp/choose_vectors.h"

namespace stencilgen::codegen::cpp {

LoopNestText PrintKernel(const ProgramModel& model, plan::KernelId kernel) {
  if (const auto vectors = ChooseVectors(model, kernel)) {
    return PrintVectorNest(model, kernel, *vectors);
  }
  return PrintLoopNest(model, kernel);
}

}  // namespace stencilgen::codegen::cpp
