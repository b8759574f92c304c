include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(distribute
  SOURCES distribute_test.cpp ../support/distributed_run.cpp
    ../support/multigrid_generator.cpp
  LINK stencilgen_test_programs stencilgen::distribute LABELS fuzz)
