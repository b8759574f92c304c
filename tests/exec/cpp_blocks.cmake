include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(cpp_blocks SOURCES cpp_blocks_test.cpp LINK stencilgen_test_programs LABELS exec)
