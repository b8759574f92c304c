include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(trees
  SOURCES trees_figures_test.cpp trees_random_test.cpp
  LINK stencilgen_test_bodies)
