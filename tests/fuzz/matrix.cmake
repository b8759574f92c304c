add_executable(matrix_test matrix_test.cpp
  "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/matrix_generator.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(matrix_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(matrix_test)
add_test(NAME matrix_tiles COMMAND matrix_test)
set_tests_properties(matrix_tiles PROPERTIES LABELS fuzz)
