stencilgen_test(reduction SOURCES reduction_test.cpp LINK stencilgen::driver)
