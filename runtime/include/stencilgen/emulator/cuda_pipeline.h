#ifndef STENCILGEN_EMULATOR_CUDA_PIPELINE_H
#define STENCILGEN_EMULATOR_CUDA_PIPELINE_H

// Found in place of CUDA's header of asynchronous copies.
#include "../emulator.hpp"

#endif  // STENCILGEN_EMULATOR_CUDA_PIPELINE_H
