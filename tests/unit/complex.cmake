stencilgen_test(complex SOURCES complex_test.cpp LINK stencilgen::driver)
