stencilgen_test(ranks_shape SOURCES ranks_shape_test.cpp LINK stencilgen::runtime)
