include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(kernel SOURCES kernel_body_test.cpp LINK stencilgen_test_bodies)
