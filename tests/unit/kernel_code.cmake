# Structured code: its verifier and its executor.
stencilgen_test(kernel_code OWN_HEADERS
  SOURCES execute_code_test.cpp execute_grid_test.cpp execute_module_test.cpp
    execute_values_test.cpp verify_code_test.cpp
  LINK stencilgen::kernel stencilgen::runtime)
set_source_files_properties(execute_values_test.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
