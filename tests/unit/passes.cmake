stencilgen_test(passes SOURCES passes_test.cpp LINK stencilgen::driver)
