stencilgen_test(large_arrays SOURCES large_arrays_test.cpp LINK stencilgen::driver LABELS exec)
target_compile_definitions(large_arrays_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>")
add_dependencies(large_arrays_test stencilgen)
