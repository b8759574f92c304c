include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(schedules SOURCES schedules_test.cpp LINK stencilgen_test_programs LABELS exec
  PARTS schedules "~[more]" schedules_more "[more]")
stencilgen_test(dropped_barriers SOURCES dropped_barriers_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs
  LABELS exec)
