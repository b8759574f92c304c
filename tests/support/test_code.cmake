include_guard(GLOBAL)
# stencilgen_test_code(TARGET): how the tests' own code is compiled.
function(stencilgen_test_code target)
  target_compile_definitions(${target} PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  stencilgen_warnings(${target})
  # What takes long is in the libraries: tests are compiled in two thirds of the time so.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
