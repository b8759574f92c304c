stencilgen_test(trees
  SOURCES trees_figures_test.cpp trees_random_test.cpp ../support/parse_body.cpp
    ../support/random_body.cpp
  LINK stencilgen::passes)
