include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(code SOURCES code_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs LABELS fuzz
  PARTS code_nests "[nests]" code_grids "[grids]" code_loops "[loops]" code_pipelines "[pipelines]")
