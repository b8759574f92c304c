# Programs on ranks of MPI, which `stencilgen run --ranks` starts; skipped where there is no MPI.
add_test(NAME ranks COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(ranks PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 120 TIMEOUT 900)
add_test(NAME ranks_reduce COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_reduce_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(ranks_reduce PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 120 TIMEOUT 900)
add_test(NAME ranks_overlap COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_overlap_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(ranks_overlap PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 120 TIMEOUT 900)
add_test(NAME ranks_files COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_files_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(ranks_files PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 120 TIMEOUT 900)
add_test(NAME ranks_scaling COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_scaling_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(ranks_scaling PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 60 TIMEOUT 900)
