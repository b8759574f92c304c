include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(traffic SOURCES traffic_test.cpp traffic_model.cpp LINK stencilgen_test_programs)
