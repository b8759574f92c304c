stencilgen_test(hoist_scalars SOURCES hoist_scalars_test.cpp LINK stencilgen::driver)
