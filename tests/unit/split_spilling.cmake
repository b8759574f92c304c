include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(split_spilling SOURCES split_spilling_test.cpp LINK stencilgen_test_programs)
