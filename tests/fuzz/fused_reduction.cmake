include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

add_executable(fused_reduction_test fused_reduction_test.cpp
  "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(fused_reduction_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(fused_reduction_test)
add_test(NAME fused_reduction COMMAND fused_reduction_test)
set_tests_properties(fused_reduction PROPERTIES LABELS fuzz)
