stencilgen_test(trees
  SOURCES trees_figures_test.cpp trees_random_test.cpp ../support/parse_body.cpp
    ../support/random_body.cpp
  LINK stencilgen::passes)

include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(split_body
  SOURCES split_body_test.cpp ../support/suite_bodies.cpp
  LINK stencilgen_test_programs)
