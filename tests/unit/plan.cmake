stencilgen_test(plan
  SOURCES plan_test.cpp plan_loops_test.cpp plan_verify_test.cpp plan_random_test.cpp
          ../support/plan_executor.cpp ../support/graph_builder.cpp
  LINK stencilgen::plan)
