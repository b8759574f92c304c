include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(time_bands SOURCES band_test.cpp random_bands_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs LABELS fuzz)
