stencilgen_test(stream SOURCES stream_test.cpp LINK stencilgen::tools_run)
