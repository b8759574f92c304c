stencilgen_test(compile_mutation SOURCES compile_mutation_test.cpp LINK stencilgen::driver LABELS fuzz)
