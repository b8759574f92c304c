include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(split SOURCES split_kernels_test.cpp split_options_test.cpp
  LINK stencilgen_test_programs stencilgen::driver)
