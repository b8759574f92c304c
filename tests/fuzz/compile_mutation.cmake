stencilgen_test(compile_mutation OWN_HEADERS SOURCES compile_mutation_test.cpp LINK stencilgen::driver LABELS fuzz)
