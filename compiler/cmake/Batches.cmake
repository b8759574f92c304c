# stencilgen_batches(TARGET): compiles the sources of a library a dozen at a time, as if they were one
# file: most of their time goes into the same headers, and into the same templates of the standard
# library. They may not have helpers of one name in one namespace.
#
# Each file must compile by itself nevertheless. TARGET_files, which is not among what is built by
# default, has them one by one; it also puts them into compile_commands.json, for clang-tidy and for
# editors. tests/lint compiles those that have changed.
option(STENCILGEN_BATCHES "Compile the sources of libraries a dozen at a time, in half the time" ON)

function(stencilgen_batches target)
  if(NOT STENCILGEN_BATCHES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  # Once all is known of the target: variables of a call that is deferred are looked up later.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL stencilgen_single_files ${target})")
endfunction()

function(stencilgen_single_files target)
  get_target_property(sources ${target} SOURCES)
  # Generated.
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  add_library(${target}_files OBJECT EXCLUDE_FROM_ALL ${sources})
  set_target_properties(${target}_files PROPERTIES UNITY_BUILD OFF)
  foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_LIBRARIES)
    get_target_property(value ${target} ${property})
    if(value)
      set_target_properties(${target}_files PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Where more is inlined, GCC 12 warns, falsely, of variants that are moved.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()
