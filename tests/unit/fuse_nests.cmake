include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(fuse_nests SOURCES fuse_nests_test.cpp loop_nest_test.cpp LINK stencilgen_test_programs)
stencilgen_test(cache_ways SOURCES cache_ways_test.cpp LINK stencilgen_test_programs)
