#pragma once

#include <cstdlib>

// Catch2 2 (Debian 12) and 3 (later) have different headers.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace stencilgen::testing {

/// In tests the compiler checks what each stage makes; programs that they start inherit that.
inline const int kVerifies = setenv("STENCILGEN_VERIFY", "1", 0);

}  // namespace stencilgen::testing
