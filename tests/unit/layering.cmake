stencilgen_test(layering SOURCES layering_test.cpp)
