# Pages of `stencilgen explain --page` in a browser; skipped where there is none.
add_test(NAME explain_page COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/explain_page_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(explain_page PROPERTIES LABELS exec SKIP_RETURN_CODE 77 TIMEOUT 900)
