include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

# Two CTest tests of one program, so that they run side by side.
add_executable(schedules_test schedules_test.cpp)
target_link_libraries(schedules_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(schedules_test)
add_test(NAME schedules COMMAND schedules_test "~[more]")
add_test(NAME schedules_more COMMAND schedules_test "[more]")
set_tests_properties(schedules schedules_more PROPERTIES LABELS exec COST 100)

stencilgen_test(dropped_barriers SOURCES dropped_barriers_test.cpp LINK stencilgen_test_programs
  LABELS exec)
set_tests_properties(dropped_barriers PROPERTIES COST 100)
