stencilgen_test(until SOURCES until_test.cpp LINK stencilgen::driver)
