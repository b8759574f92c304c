stencilgen_test(lower_body SOURCES lower_body_test.cpp LINK stencilgen::driver)
