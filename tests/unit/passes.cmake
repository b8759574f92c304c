stencilgen_test(passes SOURCES passes_test.cpp share_values_test.cpp LINK stencilgen::driver)

include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(unroll_time
  SOURCES unroll_time_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs)
