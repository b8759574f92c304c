#pragma once

#include <string>
#include <string_view>

#include "support/gpu_language.h"

namespace stencilgen::codegen {

/// Text of ours that is written in CUDA C++ in the language: HIP has the functions, types and
/// constants of CUDA's runtime under names of its own, `hipMalloc` for `cudaMalloc`. What differs
/// in more than names the text itself tells apart by `__HIP__`. Requires: no names of the user's in
/// it.
std::string InLanguage(std::string_view text, GpuLanguage language);

/// The structure that a stream points to. Headers name it, which do without those of CUDA and HIP.
std::string_view StreamStruct(GpuLanguage language);

}  // namespace stencilgen::codegen
