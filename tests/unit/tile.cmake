include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(tile
  SOURCES tile_build_test.cpp tile_edges_test.cpp tile_rims_test.cpp tile_storage_test.cpp tile_verify_test.cpp tile_walls_test.cpp tile_listings_test.cpp
  LINK stencilgen_test_programs)
stencilgen_test(tile_random SOURCES tile_random_test.cpp LINK stencilgen_test_programs)
stencilgen_test(share_sums
  SOURCES share_sums_test.cpp LINK stencilgen_test_bodies)
