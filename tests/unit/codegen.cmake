stencilgen_test(codegen
  SOURCES codegen_text_test.cpp codegen_expr_test.cpp codegen_emit_test.cpp codegen_kept_test.cpp
          short_index_test.cpp
  LINK stencilgen::driver)
stencilgen_test(codegen_runtime SOURCES codegen_runtime_test.cpp LINK stencilgen::runtime)
# Compiles and runs what the targets emit; CUDA on the emulator, and with nvcc where it is.
stencilgen_test(codegen_build
  SOURCES codegen_build_test.cpp codegen_programs.cpp
  LINK stencilgen::driver)
