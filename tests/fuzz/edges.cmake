include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(edges SOURCES edges_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs LABELS fuzz)
