include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(plan
  SOURCES plan_test.cpp plan_loops_test.cpp plan_verify_test.cpp fuse_loops_test.cpp frame_uses_test.cpp plan_random_test.cpp
  LINK stencilgen_test_executors stencilgen::passes)
stencilgen_test(machine_gpu SOURCES machine_gpu_test.cpp LINK stencilgen::plan)

stencilgen_test(plan_programs
  SOURCES plan_programs_test.cpp
  LINK stencilgen_test_executors stencilgen_test_programs)
