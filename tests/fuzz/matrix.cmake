include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(matrix_tiles
  SOURCES matrix_test.cpp "${PROJECT_SOURCE_DIR}/tests/support/matrix_generator.cpp"
  LINK stencilgen_test_executors stencilgen_test_programs LABELS fuzz)
