find_package(nlohmann_json REQUIRED)
stencilgen_test(tune_cli SOURCES tune_cli_test.cpp
  LINK stencilgen::driver nlohmann_json::nlohmann_json LABELS exec
  PARTS tune_cli "~[offline]" tune_offline "[offline]")
target_compile_definitions(tune_cli_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>"
  STENCILGEN_RUNTIME_INCLUDE="${PROJECT_SOURCE_DIR}/runtime/include")
add_dependencies(tune_cli_test stencilgen)

stencilgen_test(tune_emulated SOURCES tune_emulated_test.cpp
  LINK stencilgen::tools_tune nlohmann_json::nlohmann_json LABELS exec)
