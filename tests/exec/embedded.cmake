# C++ files with stencils in them: translated, compiled by every compiler that is there, and run.
stencilgen_test(embedded_exec SOURCES embedded_exec_test.cpp embedded_errors_test.cpp
  LINK stencilgen::driver LABELS exec)
target_compile_definitions(embedded_exec_test PRIVATE
  STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>"
  STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(embedded_exec_test stencilgen)
