include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(examples SOURCES examples_test.cpp LINK stencilgen_test_programs LABELS exec
  PARTS examples "~[more]" examples_more "[more]")

stencilgen_test(physics
  SOURCES physics_flows_test.cpp physics_reactions_test.cpp physics_waves_test.cpp schroedinger_test.cpp
    solvers_test.cpp
  LINK stencilgen_test_programs LABELS exec)

# Writes the folder of tests/gpu/pack.
add_executable(gpu_pack "${PROJECT_SOURCE_DIR}/tests/gpu/gpu_pack.cpp")
target_link_libraries(gpu_pack PRIVATE stencilgen_test_programs)
stencilgen_test_code(gpu_pack)
stencilgen_test(gpu_pack SOURCES gpu_pack_test.cpp LINK stencilgen::driver LABELS exec)
target_compile_definitions(gpu_pack_test PRIVATE GPU_PACK="$<TARGET_FILE:gpu_pack>")
add_dependencies(gpu_pack_test gpu_pack)

add_test(NAME readme COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/readme_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(readme PROPERTIES LABELS exec)
