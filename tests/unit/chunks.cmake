stencilgen_test(chunks SOURCES chunks_test.cpp LINK stencilgen::runtime)
