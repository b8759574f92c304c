include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(until_loops SOURCES until_loops_test.cpp LINK stencilgen_test_programs LABELS fuzz)
