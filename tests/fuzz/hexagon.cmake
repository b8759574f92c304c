add_executable(hexagon_test hexagon_test.cpp "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(hexagon_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(hexagon_test)
add_test(NAME hexagons COMMAND hexagon_test)
set_tests_properties(hexagons PROPERTIES LABELS fuzz)
