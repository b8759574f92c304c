# The analysis of machine code: its parts on texts written by hand, and three kernels from program to
# row of the table. The latter is skipped without nvcc and cuobjdump, and where another nvcc made the
# table.
find_program(STENCILGEN_PYTHON3 python3)
if(STENCILGEN_PYTHON3)
  add_test(NAME sass COMMAND "${STENCILGEN_PYTHON3}" -B -m unittest discover
    --start-directory "${CMAKE_CURRENT_SOURCE_DIR}/sass")
  set_tests_properties(sass PROPERTIES LABELS exec
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/benchmarks")
  add_test(NAME sass_table COMMAND "${STENCILGEN_PYTHON3}"
    "${PROJECT_SOURCE_DIR}/benchmarks/sass/table"
    --check "${PROJECT_SOURCE_DIR}/benchmarks/sass.md" j2d5pt gaussian j3d7pt --type double)
  set_tests_properties(sass_table PROPERTIES LABELS "exec;nvcc" SKIP_RETURN_CODE 77
    ENVIRONMENT "STENCILGEN=$<TARGET_FILE:stencilgen>")
endif()
