stencilgen_test(ranks_shape SOURCES ranks_shape_test.cpp LINK stencilgen::runtime)
stencilgen_test(lanes SOURCES lanes_test.cpp LINK stencilgen::runtime)
