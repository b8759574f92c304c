#ifndef STENCILGEN_EMULATOR_CUDA_RUNTIME_H
#define STENCILGEN_EMULATOR_CUDA_RUNTIME_H

// Found in place of CUDA's header when a generated file is compiled for the emulator.
#include "../emulator.hpp"

#endif  // STENCILGEN_EMULATOR_CUDA_RUNTIME_H
