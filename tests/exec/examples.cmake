include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

# Two CTest tests of one program, so that they run side by side.
add_executable(examples_test examples_test.cpp)
target_link_libraries(examples_test PRIVATE stencilgen_catch stencilgen_test_programs)
target_compile_definitions(examples_test PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(examples_test)
add_test(NAME examples COMMAND examples_test "~[more]")
set_tests_properties(examples PROPERTIES LABELS exec COST 100)
add_test(NAME examples_more COMMAND examples_test "[more]")
set_tests_properties(examples_more PROPERTIES LABELS exec COST 100)

stencilgen_test(physics SOURCES physics_test.cpp schroedinger_test.cpp LINK stencilgen_test_programs LABELS exec)

# Writes the folder of tests/gpu/pack.
add_executable(gpu_pack "${PROJECT_SOURCE_DIR}/tests/gpu/gpu_pack.cpp")
target_link_libraries(gpu_pack PRIVATE stencilgen_test_programs)
target_compile_definitions(gpu_pack PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(gpu_pack)
stencilgen_test(gpu_pack SOURCES gpu_pack_test.cpp LINK stencilgen::driver LABELS exec)
target_compile_definitions(gpu_pack_test PRIVATE GPU_PACK="$<TARGET_FILE:gpu_pack>")
add_dependencies(gpu_pack_test gpu_pack)

add_test(NAME readme COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/readme_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(readme PROPERTIES LABELS exec)
