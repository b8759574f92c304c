include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")
stencilgen_test(meaning
  SOURCES meaning_test.cpp
    ../support/direct_arithmetic.cpp ../support/direct_eval.cpp ../support/direct_meaning.cpp
    ../support/direct_points.cpp ../support/direct_scope.cpp ../support/direct_steps.cpp
  LINK stencilgen_test_programs LABELS fuzz)
