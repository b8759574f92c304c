include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(fetch_plan
  SOURCES fetch_plan_test.cpp
          "${PROJECT_SOURCE_DIR}/benchmarks/cpu/inner_loop.cpp"
  LINK stencilgen_test_bodies stencilgen::lower)
target_include_directories(fetch_plan_test PRIVATE "${PROJECT_SOURCE_DIR}/benchmarks")
