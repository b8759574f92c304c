include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

add_executable(code_test code_test.cpp "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(code_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(code_test)
# Several CTest tests of one program, so that they run side by side.
foreach(target IN ITEMS nests grids loops pipelines)
  add_test(NAME code_${target} COMMAND code_test "[${target}]")
  set_tests_properties(code_${target} PROPERTIES LABELS fuzz)
endforeach()
