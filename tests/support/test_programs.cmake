# What the tests that run whole programs share: the generator of random programs, and the
# comparison of every path with the interpreter.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/test_code.cmake")
set(support "${CMAKE_CURRENT_LIST_DIR}")
add_library(stencilgen_test_programs STATIC
  "${support}/code_executor.cpp"
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
  "${support}/slow_value_generator.cpp"
  "${support}/stencil_writer.cpp"
  "${support}/suite.cpp"
  "${support}/swap_loop.cpp"
  "${support}/test_program.cpp")
target_include_directories(stencilgen_test_programs PUBLIC "${support}/..")
find_package(nlohmann_json REQUIRED)
target_link_libraries(stencilgen_test_programs PUBLIC stencilgen::tools_run
  PRIVATE nlohmann_json::nlohmann_json)
stencilgen_test_code(stencilgen_test_programs)
stencilgen_batches(stencilgen_test_programs)

# The executor of plans, for tests that need no compiler. It takes the time of such tests, and is
# optimised as the compiler is.
add_library(stencilgen_test_executors STATIC
  "${support}/plan_executor.cpp")
target_include_directories(stencilgen_test_executors PUBLIC "${support}/..")
target_link_libraries(stencilgen_test_executors PUBLIC stencilgen::lower)
stencilgen_warnings(stencilgen_test_executors)

# Bodies of kernels: read from text, random, those of the suites.
add_library(stencilgen_test_bodies STATIC
  "${support}/parse_body.cpp"
  "${support}/random_body.cpp"
  "${support}/suite_bodies.cpp")
target_link_libraries(stencilgen_test_bodies PUBLIC stencilgen_catch stencilgen_test_programs)
stencilgen_test_code(stencilgen_test_bodies)
stencilgen_batches(stencilgen_test_bodies)
