# stencilgen_embed_bytes(TARGET FUNCTION HEADER FILE): adds to TARGET a source that defines FUNCTION,
# stencilgen::NAMESPACE::NAME as HEADER declares it, which gives the bytes of the file.
#
# Run as a script (cmake -DOUTPUT=... -DFUNCTION=... -DHEADER=... -DFILE=... -P), it writes that
# source.
if(CMAKE_SCRIPT_MODE_FILE)
  string(REGEX MATCH "^(.*)::(.*)$" matched "${FUNCTION}")
  set(namespace "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  file(READ "${FILE}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "....." 20 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  set(text "// Written by EmbedBytes.cmake.\n#include \"${HEADER}\"\n\n")
  string(APPEND text "namespace ${namespace} {\n\n")
  string(APPEND text "std::span<const unsigned char> ${name}() {\n")
  string(APPEND text "static constexpr unsigned char kBytes[] = {\n${bytes}};\nreturn kBytes;\n}\n\n")
  string(APPEND text "}  // namespace ${namespace}\n")
  file(WRITE "${OUTPUT}" "${text}")
  return()
endif()

set(STENCILGEN_EMBED_BYTES_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(stencilgen_embed_bytes target function header path)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_bytes.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFUNCTION=${function}"
            "-DHEADER=${header}" "-DFILE=${path}" -P "${STENCILGEN_EMBED_BYTES_SCRIPT}"
    DEPENDS "${path}" "${STENCILGEN_EMBED_BYTES_SCRIPT}"
    COMMENT "Embedding a font"
    VERBATIM)
  set_source_files_properties("${output}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${output}")
endfunction()
