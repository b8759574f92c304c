# How wide the vectors are that g++ makes of generated loops; skipped where it does not make x86 code.
add_test(NAME loop_lanes COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/loop_lanes_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(loop_lanes PROPERTIES LABELS exec SKIP_RETURN_CODE 77)
