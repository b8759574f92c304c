# What `stencilgen explain` tells tools, and the page that draws it.
find_package(nlohmann_json REQUIRED)
stencilgen_test(explain_report SOURCES explain_report_test.cpp
  LINK stencilgen::tools_explain nlohmann_json::nlohmann_json)
stencilgen_test(explain_band OWN_HEADERS SOURCES explain_band_test.cpp runtime_tiles.cpp
  LINK stencilgen::tools_explain stencilgen::runtime)
# Headers of the compiler and of the runtime know different things by one name.
set_target_properties(explain_band_test PROPERTIES UNITY_BUILD OFF)
