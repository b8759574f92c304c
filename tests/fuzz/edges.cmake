include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(edges
  SOURCES edges_test.cpp "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp"
  LINK stencilgen_test_programs LABELS fuzz)
