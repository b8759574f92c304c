include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(components SOURCES components_test.cpp
  LINK stencilgen_test_programs LABELS fuzz)
