# stencilgen_test_headers(TARGET LINK lib ...): the headers that most tests of the compiler include are
# read once for all of them, which takes half of the time that a test compiles. Each file includes what
# it uses nevertheless: the preset `dev` and TARGET_files (compiler/cmake/Batches.cmake) do without.
function(stencilgen_test_headers target)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  list(FILTER arg_LINK INCLUDE REGEX "^stencilgen")
  list(REMOVE_ITEM arg_LINK stencilgen::runtime)
  if(STENCILGEN_BATCHES AND arg_LINK)
    target_precompile_headers(${target} REUSE_FROM stencilgen_common_headers)
  endif()
endfunction()

if(STENCILGEN_BATCHES)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/common_headers.cpp" CONTENT "")
  add_library(stencilgen_common_headers OBJECT "${CMAKE_CURRENT_BINARY_DIR}/common_headers.cpp")
  target_link_libraries(stencilgen_common_headers PRIVATE stencilgen_catch stencilgen_driver)
  stencilgen_test_code(stencilgen_common_headers)
  target_precompile_headers(stencilgen_common_headers PRIVATE support/catch.h <driver/pipeline.h>
    <graph/interpret.h> <algorithm> <cmath> <filesystem> <fstream> <functional> <limits> <map> <regex>
    <set> <sstream> <string> <vector>)
endif()
