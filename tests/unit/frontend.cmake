stencilgen_test(frontend
  SOURCES frontend_bad_programs_test.cpp frontend_errors_test.cpp frontend_expressions_test.cpp
          frontend_limits_test.cpp frontend_programs_test.cpp frontend_round_trip_test.cpp
          program_interface_test.cpp
          ../support/ast_equal.cpp
  LINK stencilgen::frontend)
