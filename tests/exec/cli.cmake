find_package(nlohmann_json REQUIRED)
stencilgen_test(cli SOURCES cli_compile_test.cpp cli_explain_test.cpp cli_movie_test.cpp
    cli_complex_test.cpp cli_narrow_test.cpp cli_run_test.cpp
  LINK stencilgen::tools_run nlohmann_json::nlohmann_json)
target_compile_definitions(cli_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>")
add_dependencies(cli_test stencilgen)

stencilgen_test(machine_cli SOURCES machine_cli_test.cpp
  LINK stencilgen::tools_run nlohmann_json::nlohmann_json LABELS exec)
target_compile_definitions(machine_cli_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>")
add_dependencies(machine_cli_test stencilgen)
