stencilgen_test(matrix_tiles_unit SOURCES matrix_tiles_test.cpp LINK stencilgen::driver)
