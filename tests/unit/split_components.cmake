stencilgen_test(split_components SOURCES split_components_test.cpp LINK stencilgen::driver)
