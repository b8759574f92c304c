# stencilgen_library(NAME SOURCES a.cpp ... [LINK other ...]): the library of one folder of the
# compiler, as stencilgen::NAME. LINK declares the layering: the folders whose headers it may use.
function(stencilgen_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(stencilgen_${name} STATIC ${arg_SOURCES})
  add_library(stencilgen::${name} ALIAS stencilgen_${name})
  target_include_directories(stencilgen_${name} PUBLIC "${PROJECT_SOURCE_DIR}/compiler")
  target_link_libraries(stencilgen_${name} PUBLIC ${STENCILGEN_FMT} ${arg_LINK})
  stencilgen_warnings(stencilgen_${name})
  stencilgen_batches(stencilgen_${name})
endfunction()
