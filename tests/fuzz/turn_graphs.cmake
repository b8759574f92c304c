include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(turn_graphs SOURCES turn_graphs_test.cpp LINK stencilgen_test_programs LABELS fuzz)
