#pragma once

#include <cstdint>

namespace stencilgen {

/// What code for a GPU is written in: CUDA C++, or HIP C++, which AMD's compilers take.
enum class GpuLanguage : std::uint8_t { Cuda, Hip };

}  // namespace stencilgen
