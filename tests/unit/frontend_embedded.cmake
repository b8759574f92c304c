stencilgen_test(embedded
  SOURCES embedded_blocks_test.cpp embedded_round_trip_test.cpp embedded_scanner_test.cpp
  LINK stencilgen::driver)
