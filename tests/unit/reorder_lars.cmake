include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(reorder_lars SOURCES reorder_lars_test.cpp LINK stencilgen_test_bodies)
stencilgen_test(reorder_random SOURCES reorder_random_test.cpp LINK stencilgen_test_bodies)
stencilgen_test(reorder_nvcc SOURCES reorder_nvcc_test.cpp LINK stencilgen_test_programs LABELS nvcc)
