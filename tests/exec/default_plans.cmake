include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(default_plans SOURCES default_plans_test.cpp LINK stencilgen_test_programs
  LABELS exec PARTS default_plans "~[more]" default_plans_more "[more]")
