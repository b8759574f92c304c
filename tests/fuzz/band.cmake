add_executable(band_test band_test.cpp random_bands_test.cpp
  "${PROJECT_SOURCE_DIR}/tests/support/code_executor.cpp"
  "${PROJECT_SOURCE_DIR}/tests/support/plan_executor.cpp")
target_link_libraries(band_test PRIVATE stencilgen_catch stencilgen_test_programs)
stencilgen_warnings(band_test)
add_test(NAME time_bands COMMAND band_test)
set_tests_properties(time_bands PROPERTIES LABELS fuzz)
