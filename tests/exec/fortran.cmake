# A program in Fortran calls generated code; skipped where there is no gfortran.
add_test(NAME fortran COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/fortran_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(fortran PROPERTIES LABELS exec SKIP_RETURN_CODE 77)
