# Generated C++ under sanitizers.
add_test(NAME sanitizers COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/sanitizers_test.sh"
  "$<TARGET_FILE:stencilgen>" "${PROJECT_SOURCE_DIR}")
set_tests_properties(sanitizers PROPERTIES LABELS exec TIMEOUT 600)
