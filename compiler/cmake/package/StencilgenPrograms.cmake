# What a project that uses stencilgen gets, from find_package(stencilgen CONFIG) and from
# add_subdirectory or FetchContent alike:
#
#   stencilgen_add_library(NAME FILES a.idsl b.idsl ... [TARGET cuda|cpp|emulator|auto]
#                          [MPI] [ARCH sm_90 ...] [OPTIONS ...])
#     A library of the programs. Who links it includes a.h and b.h and calls what they declare. Its
#     property STENCILGEN_TARGET says what `auto` became. With MPI they are code for many machines
#     (--mpi), in C++ unless TARGET says something else, and MPI comes with the library.
#
#   stencilgen_target_sources(NAME PRIVATE app.cpp ... [TARGET ...] [ARCH ...] [OPTIONS ...])
#     Adds C++ files with `#pragma dsl` blocks to the target NAME.
#
#   stencilgen_enable_cuda()
#     Enables the language CUDA where the machine has a working nvcc; quietly nothing elsewhere. A
#     macro: call it at the top of a CMakeLists.txt.
#
# TARGET auto (the default) is cuda where the project has enabled the language CUDA, else cpp.
# emulator: the CUDA code, compiled for and run on the CPU, for tests; needs Boost.Context.
# ARCH: the GPUs the code is compiled for; plans are made for the first. Default: the project's
# CMAKE_CUDA_ARCHITECTURES. OPTIONS: further options of the tool, such as -D N=512 or --fp strict.

include_guard(GLOBAL)

macro(stencilgen_enable_cuda)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
  endif()
endmacro()

# Ends the configuration with a message that names the function, and the target where it has one.
function(_stencilgen_fail function target)
  string(JOIN "" message ${ARGN})
  message(FATAL_ERROR "${function}(${target}): ${message}")
endfunction()

# Checks what both functions have in common and gives in the caller's scope: target (cuda, cpp or
# emulator), arguments (of the tool), architectures (CMake's form), depends (files that the options
# name).
function(_stencilgen_resolve function name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TARGET" "ARCH;OPTIONS")
  if(NOT TARGET stencilgen::stencilgen)
    _stencilgen_fail(${function} ${name} "the target stencilgen::stencilgen is not known here: "
      "call find_package(stencilgen CONFIG) or add_subdirectory in this folder or one above it.")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CXX" IN_LIST languages)
    _stencilgen_fail(${function} ${name}
      "the language CXX is not enabled: add it to project(... LANGUAGES CXX).")
  endif()

  set(_stencilgen_known_architectures 70 75 80 86 89 90 100)
  set(target auto)
  if(DEFINED arg_TARGET)
    set(target "${arg_TARGET}")
  endif()
  if(NOT target MATCHES "^(cuda|cpp|emulator|auto)$")
    _stencilgen_fail(${function} ${name}
      "TARGET is `${target}`, but cuda, cpp, emulator and auto are known.")
  endif()
  if(target STREQUAL "auto")
    set(target cpp)
    if("CUDA" IN_LIST languages)
      set(target cuda)
    endif()
    message(STATUS "stencilgen: ${name} is compiled to ${target}")
  endif()
  if(target STREQUAL "cuda" AND NOT "CUDA" IN_LIST languages)
    _stencilgen_fail(${function} ${name} "TARGET cuda needs the language CUDA: add it to "
      "project(... LANGUAGES CXX CUDA), or use TARGET auto or TARGET cpp.")
  endif()

  set(options "")
  set(depends "")
  set(before "")
  foreach(option IN LISTS arg_OPTIONS)
    # The tool runs in the build folder.
    if((before MATCHES "^--(device-file|tuning-db)$" OR option MATCHES "^--(device-file|tuning-db)=")
       AND NOT option MATCHES "^(--tuning-db=)?none$")
      string(REGEX MATCH "^--[a-z-]+=" name "${option}")
      string(REGEX REPLACE "^--[a-z-]+=" "" file "${option}")
      get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      get_source_file_property(generated "${path}" GENERATED)
      if(IS_DIRECTORY "${path}" OR (NOT EXISTS "${path}" AND NOT generated))
        _stencilgen_fail(${function} ${name}
          "OPTIONS: there is no file `${file}` in ${CMAKE_CURRENT_SOURCE_DIR}.")
      endif()
      set(option "${name}${path}")
      list(APPEND depends "${path}")
    endif()
    set(before "${option}")
    list(APPEND options "${option}")
    string(REGEX REPLACE "=.*" "" option "${option}")
    if(option MATCHES "^(-o.*|--out-file|--header|--emit|--target|--arch|--help|-h|--version)$")
      _stencilgen_fail(${function} ${name}
        "OPTIONS may not contain `${option}`: ${function} decides it.")
    endif()
  endforeach()

  set(arch "${arg_ARCH}")
  set(architectures "")
  foreach(one IN LISTS arch)
    if(NOT one MATCHES "^(sm_)?([0-9]+[a-z]?)$")
      _stencilgen_fail(${function} ${name} "ARCH is `${one}`, which is no GPU architecture: "
        "write it as sm_90.")
    endif()
    list(APPEND architectures "${CMAKE_MATCH_2}")
  endforeach()
  set(arguments --target "${target}")
  if(target STREQUAL "emulator")
    set(arguments --target cuda)
  endif()
  if(architectures AND NOT target STREQUAL "cpp")
    string(REGEX MATCH "^[0-9]+" first "${architectures}")
    list(APPEND arguments --arch "sm_${first}")
  elseif(target STREQUAL "cuda" AND "${CMAKE_CUDA_ARCHITECTURES}" MATCHES "^([0-9]+)"
         AND "${CMAKE_MATCH_1}" IN_LIST _stencilgen_known_architectures)
    # What the project compiles for need not be what the tool makes plans for.
    list(APPEND arguments --arch "sm_${CMAKE_MATCH_1}")
  endif()
  list(APPEND arguments ${options})

  set(target "${target}" PARENT_SCOPE)
  set(arguments "${arguments}" PARENT_SCOPE)
  set(architectures "${architectures}" PARENT_SCOPE)
  set(depends "${depends}" PARENT_SCOPE)
endfunction()

# Sets on the generated sources what their target language needs, and on NAME what all need.
function(_stencilgen_compile_as target name strict architectures)
  set(sources ${ARGN})
  # Each has the same runtime inside, and macros of its own.
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(target STREQUAL "cuda")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
    target_compile_features(${name} PRIVATE cuda_std_17)
    if(architectures)
      set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
    endif()
    return()
  endif()
  target_compile_features(${name} PRIVATE cxx_std_17)
  # A stencil without optimisation is of use to nobody but a debugger.
  set(flags "$<$<NOT:$<CONFIG:Debug>>:-O3>")
  if(strict)
    string(APPEND flags ";-ffp-contract=off;-frounding-math")
  endif()
  if(target STREQUAL "emulator")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
    string(APPEND flags ";-xc++;-fwrapv")
    target_link_libraries(${name} PUBLIC stencilgen::emulator)
  else()
    find_package(OpenMP QUIET COMPONENTS CXX)
    if(OpenMP_CXX_FOUND)
      # Not OpenMP::OpenMP_CXX, which folders above this one would not know.
      separate_arguments(openmp NATIVE_COMMAND "${OpenMP_CXX_FLAGS}")
      string(APPEND flags ";${openmp}")
      target_link_libraries(${name} PRIVATE ${OpenMP_CXX_LIBRARIES})
    endif()
  endif()
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS "${flags}")
endfunction()

# What both functions ask of their parsed arguments, arg_*; `me` and `name` are for messages.
macro(_stencilgen_check_arguments usage)
  if(arg_UNPARSED_ARGUMENTS)
    _stencilgen_fail(${me} ${name} "`${arg_UNPARSED_ARGUMENTS}` does not belong here: " "${usage}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    _stencilgen_fail(${me} ${name} "${arg_KEYWORDS_MISSING_VALUES} is given without a value.")
  endif()
endmacro()

# Passes on those that say how to compile.
macro(_stencilgen_resolve_arguments)
  set(pass "")
  foreach(keyword IN ITEMS TARGET ARCH OPTIONS)
    if(DEFINED arg_${keyword})
      list(APPEND pass ${keyword} ${arg_${keyword}})
    endif()
  endforeach()
  _stencilgen_resolve(${me} ${name} ${pass})
endmacro()

function(stencilgen_add_library name)
  set(me stencilgen_add_library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MPI" "TARGET" "FILES;ARCH;OPTIONS")
  if(TARGET "${name}")
    _stencilgen_fail(${me} ${name} "there is a target of this name already.")
  endif()
  _stencilgen_check_arguments(
    "(NAME FILES a.idsl ... [TARGET cuda|cpp|emulator|auto] [MPI] [ARCH sm_90 ...] [OPTIONS ...]).")
  if(NOT arg_FILES)
    _stencilgen_fail(${me} ${name} "FILES is missing: list the programs, FILES a.idsl b.idsl.")
  endif()
  if(arg_MPI)
    find_package(MPI QUIET COMPONENTS CXX)
    if(NOT MPI_CXX_FOUND)
      _stencilgen_fail(${me} ${name} "MPI is not found: install Open MPI or MPICH with its headers "
        "(on Debian: apt-get install openmpi-bin libopenmpi-dev).")
    endif()
    # Whether ranks have GPUs is for the project to say.
    if(NOT DEFINED arg_TARGET OR arg_TARGET STREQUAL "auto")
      set(arg_TARGET cpp)
    endif()
    list(APPEND arg_OPTIONS --mpi)
  endif()
  _stencilgen_resolve_arguments()

  list(LENGTH arg_FILES count)
  if(count GREATER 1 AND "--host-function" IN_LIST arg_OPTIONS)
    _stencilgen_fail(${me} ${name}
      "OPTIONS --host-function names one function, but FILES lists ${count} programs.")
  endif()
  # A folder a target: no two targets write the same file.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/stencilgen/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(extension cu)
  if(target STREQUAL "cpp")
    set(extension cpp)
  endif()
  set(sources "")
  set(headers "")
  set(functions "")
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    get_filename_component(stem "${file}" NAME_WE)
    get_source_file_property(generated "${path}" GENERATED)
    if(NOT file MATCHES "\\.idsl$")
      _stencilgen_fail(${me} ${name} "`${file}` is no .idsl file"
        " (C++ files with pragmas are for stencilgen_target_sources).")
    endif()
    if(IS_DIRECTORY "${path}" OR (NOT EXISTS "${path}" AND NOT generated))
      _stencilgen_fail(${me} ${name} "there is no file `${file}` in ${CMAKE_CURRENT_SOURCE_DIR}.")
    endif()
    string(MAKE_C_IDENTIFIER "${stem}" function)
    if("${function}" IN_LIST functions)
      _stencilgen_fail(${me} ${name} "two of the FILES make a function `${function}`: "
        "rename one, or put it into a library of its own with OPTIONS --host-function.")
    endif()
    list(APPEND functions "${function}")
    set(source "${folder}/${stem}.${extension}")
    set(header "${folder}/${stem}.h")
    add_custom_command(
      OUTPUT "${source}" "${header}"
      COMMAND stencilgen::stencilgen "${path}" ${arguments} -o "${source}" --header "${header}"
              --depfile "${source}.d"
      DEPFILE "${source}.d"
      DEPENDS "${path}" ${depends} stencilgen::stencilgen
              "$<TARGET_FILE:stencilgen::stencilgen>"
      COMMENT "Compiling ${stem}.idsl to ${target}"
      VERBATIM)
    list(APPEND sources "${source}")
    list(APPEND headers "${header}")
  endforeach()

  add_library(${name} ${sources} ${headers})
  if(NOT target STREQUAL "cuda")
    # The warnings that a project asks for are for its own code.
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -w)
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    STENCILGEN_TARGET "${target}")
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${folder}>")
  set(strict FALSE)
  if("${arg_OPTIONS}" MATCHES "--fp[;=]strict")
    set(strict TRUE)
  endif()
  _stencilgen_compile_as(${target} ${name} ${strict} "${architectures}" ${sources})
  if(arg_MPI)
    # Not MPI::MPI_CXX, which folders above this one would not know.
    target_include_directories(${name} PUBLIC ${MPI_CXX_INCLUDE_DIRS})
    target_link_libraries(${name} PUBLIC ${MPI_CXX_LIBRARIES})
  endif()
endfunction()

function(stencilgen_target_sources name)
  set(me stencilgen_target_sources)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "PRIVATE;PUBLIC;INTERFACE;ARCH;OPTIONS")
  if(NOT TARGET "${name}")
    _stencilgen_fail(${me} ${name} "there is no target of this name; add_executable or "
      "add_library comes first.")
  endif()
  if(DEFINED arg_PUBLIC OR DEFINED arg_INTERFACE)
    _stencilgen_fail(${me} ${name} "only PRIVATE sources can be compiled.")
  endif()
  _stencilgen_check_arguments(
    "(TARGET PRIVATE app.cpp ... [TARGET cuda|cpp|emulator|auto] [ARCH sm_90 ...] [OPTIONS ...]).")
  if(NOT arg_PRIVATE)
    _stencilgen_fail(${me} ${name} "PRIVATE is missing: list the files, PRIVATE app.cpp.")
  endif()
  _stencilgen_resolve_arguments()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/stencilgen/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(extension cu)
  if(target STREQUAL "cpp")
    set(extension cpp)
  endif()
  get_target_property(known ${name} SOURCES)
  set(sources "")
  foreach(file IN LISTS arg_PRIVATE)
    get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    get_filename_component(stem "${file}" NAME_WE)
    get_filename_component(own_folder "${path}" DIRECTORY)
    if(NOT file MATCHES "\\.(cpp|cc|cxx|c\\+\\+|C|cu)$")
      _stencilgen_fail(${me} ${name} "`${file}` is no C++ file"
        " (programs of their own are for stencilgen_add_library).")
    endif()
    get_source_file_property(generated "${path}" GENERATED)
    if(IS_DIRECTORY "${path}" OR (NOT EXISTS "${path}" AND NOT generated))
      _stencilgen_fail(${me} ${name} "there is no file `${file}` in ${CMAKE_CURRENT_SOURCE_DIR}.")
    endif()
    if("${file}" IN_LIST known OR "${path}" IN_LIST known)
      _stencilgen_fail(${me} ${name} "`${file}` is a source of the target already; "
        "list it here alone, else it is compiled twice.")
    endif()
    set(source "${folder}/${stem}.gen.${extension}")
    if("${source}" IN_LIST sources OR "${source}" IN_LIST known)
      _stencilgen_fail(${me} ${name} "two of the sources are called ${stem}: rename one.")
    endif()
    add_custom_command(
      OUTPUT "${source}"
      COMMAND stencilgen::stencilgen "${path}" ${arguments} -o "${source}"
              --depfile "${source}.d"
      DEPFILE "${source}.d"
      DEPENDS "${path}" ${depends} stencilgen::stencilgen
              "$<TARGET_FILE:stencilgen::stencilgen>"
      COMMENT "Compiling the stencils of ${file} to ${target}"
      VERBATIM)
    # Its #include "..." are relative to where it was.
    set_property(SOURCE "${source}" APPEND PROPERTY INCLUDE_DIRECTORIES "${own_folder}")
    list(APPEND sources "${source}")
  endforeach()
  target_sources(${name} PRIVATE ${sources})
  set(strict FALSE)
  if("${arg_OPTIONS}" MATCHES "--fp[;=]strict")
    set(strict TRUE)
  endif()
  _stencilgen_compile_as(${target} ${name} ${strict} "${architectures}" ${sources})
endfunction()
