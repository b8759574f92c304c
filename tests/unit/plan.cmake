stencilgen_test(plan
  SOURCES plan_test.cpp plan_loops_test.cpp plan_verify_test.cpp fuse_loops_test.cpp frame_uses_test.cpp plan_random_test.cpp
          ../support/plan_executor.cpp
  LINK stencilgen::plan stencilgen::passes)
stencilgen_test(machine_gpu SOURCES machine_gpu_test.cpp LINK stencilgen::plan)

include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(plan_programs
  SOURCES plan_programs_test.cpp ../support/plan_executor.cpp
  LINK stencilgen_test_programs)
