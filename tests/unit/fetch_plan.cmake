stencilgen_test(fetch_plan
  SOURCES fetch_plan_test.cpp ../support/parse_body.cpp ../support/random_body.cpp
          "${PROJECT_SOURCE_DIR}/benchmarks/cpu/inner_loop.cpp"
  LINK stencilgen::lower)
target_include_directories(fetch_plan_test PRIVATE "${PROJECT_SOURCE_DIR}/benchmarks")
