find_package(nlohmann_json REQUIRED)
stencilgen_test(editors SOURCES editors_test.cpp manual_test.cpp
  LINK stencilgen::tools_main nlohmann_json::nlohmann_json)
