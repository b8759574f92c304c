# Programs on ranks of MPI, which `stencilgen run --ranks` starts; skipped where there is no MPI.
foreach(test ranks ranks_reduce ranks_overlap ranks_files ranks_scaling ranks_cuda)
  add_test(NAME ${test} COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/${test}_test.sh"
    "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${test} PROPERTIES LABELS exec SKIP_RETURN_CODE 77 COST 120 TIMEOUT 900)
endforeach()
set_tests_properties(ranks_scaling PROPERTIES COST 60)
