stencilgen_test(turn_graph SOURCES turn_graph_test.cpp LINK stencilgen::driver)
