# The vectors of the C++ target: those of every machine, none, and those of this one.
stencilgen_test(simd SOURCES simd_test.cpp simd_half_test.cpp LINK stencilgen::runtime)
stencilgen_test(simd_none SOURCES simd_test.cpp simd_half_test.cpp LINK stencilgen::runtime)
target_compile_definitions(simd_none_test PRIVATE STENCILGEN_NO_VECTORS)
stencilgen_test(simd_native SOURCES simd_test.cpp simd_half_test.cpp LINK stencilgen::runtime)
target_compile_options(simd_native_test PRIVATE -march=native)
