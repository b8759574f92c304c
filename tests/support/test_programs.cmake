# What the tests that run whole programs share: the generator of random programs, and the
# comparison of every path with the interpreter.
include_guard(GLOBAL)
set(support "${CMAKE_CURRENT_LIST_DIR}")
add_library(stencilgen_test_programs STATIC
  "${support}/complex_loop.cpp"
  "${support}/differential.cpp"
  "${support}/expression_generator.cpp"
  "${support}/face_call.cpp"
  "${support}/program_generator.cpp"
  "${support}/program_run.cpp"
  "${support}/random_loop.cpp"
  "${support}/schedule_generator.cpp"
  "${support}/schedule_matrix.cpp"
  "${support}/schedule_text.cpp"
  "${support}/stencil_writer.cpp"
  "${support}/suite.cpp"
  "${support}/swap_loop.cpp"
  "${support}/test_program.cpp")
target_include_directories(stencilgen_test_programs PUBLIC "${support}/..")
find_package(nlohmann_json REQUIRED)
target_link_libraries(stencilgen_test_programs PUBLIC stencilgen::tools_run
  PRIVATE nlohmann_json::nlohmann_json)
target_compile_definitions(stencilgen_test_programs
  PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(stencilgen_test_programs)
