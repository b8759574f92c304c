include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(reordered_tiles SOURCES reordered_tiles_test.cpp LINK stencilgen_test_programs
  LABELS exec)
