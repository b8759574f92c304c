include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(cost_traffic SOURCES cost_traffic_test.cpp loop_traffic_test.cpp traffic_case.cpp LINK stencilgen::tools_run)
stencilgen_test(read_rows SOURCES read_rows_test.cpp LINK stencilgen::driver)
stencilgen_test(choose_schedule SOURCES choose_schedule_test.cpp priced_candidates_test.cpp
  LINK stencilgen_test_programs stencilgen::driver)
stencilgen_test(critical_path SOURCES critical_path_test.cpp LINK stencilgen::driver)
