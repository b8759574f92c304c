include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(examples SOURCES examples_test.cpp LINK stencilgen_test_programs LABELS exec)

# Writes the folder of tests/gpu/pack; built with the tests so that it keeps building.
add_executable(gpu_pack "${PROJECT_SOURCE_DIR}/tests/gpu/gpu_pack.cpp")
target_link_libraries(gpu_pack PRIVATE stencilgen_test_programs)
target_compile_definitions(gpu_pack PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(gpu_pack)

add_test(NAME readme COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/readme_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(readme PROPERTIES LABELS exec)
