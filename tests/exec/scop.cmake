# C files with affine loops: what their regions become computes the same bits as a C compiler's code.
if(STENCILGEN_SCOP)
  stencilgen_test(scop_exec SOURCES scop_exec_test.cpp scop_commands_test.cpp
    scop_errors_test.cpp LINK stencilgen::driver
    LABELS exec)
  stencilgen_test(scop_golden SOURCES scop_golden_test.cpp LINK stencilgen::driver LABELS exec)
  stencilgen_test(scop_random SOURCES scop_random_test.cpp ../support/c_nest_generator.cpp
    ../support/c_nest_edges.cpp ../support/c_nest_setting.cpp ../support/c_nest_values.cpp
    ../support/schedule_generator.cpp ../support/schedule_text.cpp
    LINK stencilgen::driver LABELS exec)
  foreach(test scop_exec scop_golden scop_random)
    target_compile_definitions(${test}_test PRIVATE
      STENCILGEN_BINARY="$<TARGET_FILE:stencilgen>"
      STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(${test}_test stencilgen)
  endforeach()
endif()

# What a build without these libraries says, with them or without.
stencilgen_test(scop_absent SOURCES scop_absent_test.cpp "${PROJECT_SOURCE_DIR}/compiler/scop/absent.cpp"
  LINK stencilgen::frontend LABELS exec)
