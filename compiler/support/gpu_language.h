#pragma once

#include <cstdint>
#include <string_view>

namespace stencilgen {

/// What code for a GPU is written in: CUDA C++, or HIP C++, which AMD's compilers take.
enum class GpuLanguage : std::uint8_t { Cuda, Hip };

/// Its name, for messages.
constexpr std::string_view ToString(GpuLanguage language) {
  return language == GpuLanguage::Hip ? "HIP" : "CUDA";
}

}  // namespace stencilgen
