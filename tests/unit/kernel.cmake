stencilgen_test(kernel SOURCES kernel_body_test.cpp ../support/parse_body.cpp
  LINK stencilgen::kernel)
