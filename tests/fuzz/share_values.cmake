include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(share_values SOURCES share_values_test.cpp
  LINK stencilgen_test_programs LABELS fuzz)
