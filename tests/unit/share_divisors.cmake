stencilgen_test(share_divisors SOURCES share_divisors_test.cpp LINK stencilgen::driver)
