# benchmarks/run, benchmarks/pack and benchmarks/page on tiny arrays.
include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(plain_code SOURCES benchmarks/plain_code_test.cpp
  LINK stencilgen_baseline stencilgen_suite LABELS exec)
stencilgen_test(benchmark_run SOURCES benchmarks/benchmark_run_test.cpp
  LINK stencilgen_suite LABELS exec)
stencilgen_test(benchmark_pack SOURCES benchmarks/benchmark_pack_test.cpp
  LINK stencilgen_suite LABELS exec)
stencilgen_test(benchmark_page SOURCES benchmarks/benchmark_page_test.cpp
  LINK stencilgen_suite LABELS exec)
target_compile_definitions(benchmark_run_test PRIVATE STENCILGEN_VERSION="${PROJECT_VERSION}"
  BENCHMARK_SUITE="$<TARGET_FILE:benchmark_suite>")
target_compile_definitions(benchmark_pack_test PRIVATE
  BENCHMARK_PACK="$<TARGET_FILE:benchmark_pack>")
add_dependencies(benchmark_run_test benchmark_suite)
add_dependencies(benchmark_pack_test benchmark_pack)
stencilgen_test(benchmark_rivals SOURCES benchmarks/rivals_test.cpp
  LINK stencilgen_suite LABELS exec)
target_compile_definitions(benchmark_rivals_test PRIVATE
  BENCHMARK_SUITE="$<TARGET_FILE:benchmark_suite>")
add_dependencies(benchmark_rivals_test benchmark_suite)
if(UNIX)
  add_test(NAME time_loops COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/time_loops_test.sh"
    "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}" "${CMAKE_CXX_COMPILER}")
  set_tests_properties(time_loops PROPERTIES LABELS exec TIMEOUT 600)
endif()
