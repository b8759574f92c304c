find_package(nlohmann_json REQUIRED)
# Two CTest tests of one program, so that they run side by side.
add_executable(tune_cli_test tune_cli_test.cpp)
target_link_libraries(tune_cli_test PRIVATE
  stencilgen_catch stencilgen::driver nlohmann_json::nlohmann_json)
stencilgen_warnings(tune_cli_test)
target_compile_definitions(tune_cli_test PRIVATE STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>"
  STENCILGEN_RUNTIME_INCLUDE="${PROJECT_SOURCE_DIR}/runtime/include")
add_dependencies(tune_cli_test stencilgen)
add_test(NAME tune_cli COMMAND tune_cli_test "~[offline]")
add_test(NAME tune_offline COMMAND tune_cli_test "[offline]")
set_tests_properties(tune_cli tune_offline PROPERTIES LABELS exec COST 50)

stencilgen_test(tune_emulated SOURCES tune_emulated_test.cpp
  LINK stencilgen::tools_tune nlohmann_json::nlohmann_json LABELS exec)
