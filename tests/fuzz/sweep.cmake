add_executable(sweep_test sweep_test.cpp "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(sweep_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(sweep_test)
add_test(NAME sweeps_in_place COMMAND sweep_test)
set_tests_properties(sweeps_in_place PROPERTIES LABELS fuzz)
