stencilgen_test(parser_mutation SOURCES parser_mutation_test.cpp LINK stencilgen::frontend LABELS fuzz)
