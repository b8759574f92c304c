include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(split_programs SOURCES split_programs_test.cpp LINK stencilgen_test_programs
  LABELS exec)
