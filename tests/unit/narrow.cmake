stencilgen_test(narrow SOURCES half_test.cpp narrow_elements_test.cpp
  LINK stencilgen::driver stencilgen::runtime)
