include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

# Two CTest tests of one program, so that they run side by side.
add_executable(default_plans_test default_plans_test.cpp)
target_link_libraries(default_plans_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(default_plans_test)
add_test(NAME default_plans COMMAND default_plans_test "~[more]")
add_test(NAME default_plans_more COMMAND default_plans_test "[more]")
set_tests_properties(default_plans default_plans_more PROPERTIES LABELS exec COST 100)
