stencilgen_test(overlap_volumes SOURCES overlap_volumes_test.cpp LINK stencilgen::plan)

include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(fuse
  SOURCES fuse_hypterm_test.cpp fuse_price_test.cpp fuse_rules_test.cpp
  LINK stencilgen_test_programs stencilgen::driver)
