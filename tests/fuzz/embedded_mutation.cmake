stencilgen_test(embedded_mutation SOURCES embedded_mutation_test.cpp LINK stencilgen::driver LABELS fuzz)
