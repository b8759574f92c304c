# hipcc compiles what is made for AMD's GPUs; skipped where there is no hipcc.
add_test(NAME hip COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/hip_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(hip PROPERTIES LABELS exec SKIP_RETURN_CODE 77)
