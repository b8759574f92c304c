find_package(nlohmann_json REQUIRED)
include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(tune SOURCES tune_search_test.cpp tune_space_test.cpp tune_database_test.cpp
  LINK stencilgen::tools_tune stencilgen_test_programs nlohmann_json::nlohmann_json)
target_compile_definitions(tune_test PRIVATE STENCILGEN_VERSION="${PROJECT_VERSION}")
