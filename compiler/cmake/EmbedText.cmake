# stencilgen_embed_text(TARGET FUNCTION HEADER ROOT folder FILES a b ...): adds to TARGET a source
# that defines FUNCTION, stencilgen::NAMESPACE::NAME as HEADER declares it, over the files, each under
# its name relative to its ROOT. Several ROOT ... FILES ... groups may follow each other.
#
# Run as a script (cmake -DOUTPUT=... -DFUNCTION=... -DHEADER=... -DNAMES=... -DPATHS=...
# -P), it writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  string(REGEX MATCH "^(.*)::(.*)$" matched "${FUNCTION}")
  set(namespace "${CMAKE_MATCH_1}")
  set(name_of_function "${CMAKE_MATCH_2}")
  set(text "// Written by EmbedText.cmake.\n#include \"${HEADER}\"\n\n")
  string(APPEND text "#include <cstddef>\n\n#include \"support/check.h\"\n\n")
  string(APPEND text "namespace ${namespace} {\nnamespace {\n\n")
  string(APPEND text "struct File {\n  std::string_view name, text;\n};\n\n")
  string(APPEND text "constexpr File kFiles[] = {\n")
  foreach(name path IN ZIP_LISTS NAMES PATHS)
    file(READ "${path}" content)
    string(APPEND text "    {\"${name}\", R\"stencilgen(${content})stencilgen\"},\n")
  endforeach()
  string(APPEND text "};\n\n}  // namespace\n\n")
  string(APPEND text "std::string_view ${name_of_function}(std::string_view name) {\n")
  string(APPEND text "  for (const File& file : kFiles) {\n")
  string(APPEND text "    if (file.name == name) return file.text;\n  }\n")
  string(APPEND text "  STENCILGEN_CHECK(!\"no such embedded file\");\n  return {};\n}\n\n")
  string(APPEND text "}  // namespace ${namespace}\n")
  file(WRITE "${OUTPUT}" "${text}")
  return()
endif()

set(STENCILGEN_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(stencilgen_embed_text target function header)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_text.cpp")
  set(names)
  set(paths)
  set(expect "")
  foreach(word IN LISTS ARGN)
    if(word STREQUAL "ROOT" OR word STREQUAL "FILES")
      set(expect "${word}")
    elseif(expect STREQUAL "ROOT")
      set(root "${word}")
    else()
      list(APPEND names "${word}")
      list(APPEND paths "${root}/${word}")
    endif()
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DFUNCTION=${function}"
            "-DHEADER=${header}" "-DNAMES=${names}" "-DPATHS=${paths}" -P
            "${STENCILGEN_EMBED_SCRIPT}"
    DEPENDS ${paths} "${STENCILGEN_EMBED_SCRIPT}"
    COMMENT "Embedding templates and runtime headers"
    VERBATIM)
  set_source_files_properties("${output}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${output}")
endfunction()
