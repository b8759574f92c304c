find_package(nlohmann_json REQUIRED)
stencilgen_test(tune_cli SOURCES tune_cli_test.cpp
  LINK stencilgen::driver nlohmann_json::nlohmann_json LABELS exec)
target_compile_definitions(tune_cli_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>")
add_dependencies(tune_cli_test stencilgen)
# It measures: not beside what takes all cores.
set_tests_properties(tune_cli PROPERTIES PROCESSORS 2 COST 50)
