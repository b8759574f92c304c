# Programs on ranks of MPI, which `stencilgen run --ranks` starts; skipped where there is no MPI.
foreach(test ranks ranks_reduce ranks_overlap ranks_files ranks_scaling ranks_cuda ranks_blocks ranks_multigrid
    ranks_mismatch interrupt)
  add_test(NAME ${test} COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/${test}_test.sh"
    "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${test} PROPERTIES LABELS exec SKIP_RETURN_CODE 77 TIMEOUT 900)
endforeach()
# Some programs on all grids of ranks, two numbers of turns of each; by hand all programs and numbers.
add_test(NAME ranks_some COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/ranks_all.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}" 2
  "examples/(heat3d|advect1d|coefficients|life)|stencils/(j2d9pt-gol|curl|unsharp|swim|star3d2r)/")
set_tests_properties(ranks_some PROPERTIES LABELS exec SKIP_RETURN_CODE 77 TIMEOUT 900)
