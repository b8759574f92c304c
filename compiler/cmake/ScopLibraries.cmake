# What reads C code (compiler/scop): libclang from 19 on, whose C interface knows operators, and isl.
# Sets STENCILGEN_SCOP, and gives stencilgen::libclang and stencilgen::isl.
option(STENCILGEN_WITH_SCOP "Read loop nests of C and C++ files, where libclang and isl are there" ON)

set(llvm_roots)
foreach(version RANGE 25 19 -1)
  list(APPEND llvm_roots /usr/lib/llvm-${version})
endforeach()
find_path(STENCILGEN_CLANG_INCLUDE clang-c/Index.h PATHS ${llvm_roots} PATH_SUFFIXES include)
find_library(STENCILGEN_CLANG_LIBRARY NAMES clang libclang.so PATHS ${llvm_roots} PATH_SUFFIXES lib)
find_path(STENCILGEN_ISL_INCLUDE isl/cpp.h)
find_library(STENCILGEN_ISL_LIBRARY isl)
mark_as_advanced(STENCILGEN_CLANG_INCLUDE STENCILGEN_CLANG_LIBRARY STENCILGEN_ISL_INCLUDE
  STENCILGEN_ISL_LIBRARY)

set(STENCILGEN_SCOP OFF)
if(STENCILGEN_WITH_SCOP AND STENCILGEN_CLANG_INCLUDE AND STENCILGEN_CLANG_LIBRARY
    AND STENCILGEN_ISL_INCLUDE AND STENCILGEN_ISL_LIBRARY)
  file(STRINGS "${STENCILGEN_CLANG_INCLUDE}/clang-c/Index.h" operators
    REGEX "clang_getCursorBinaryOperatorKind" LIMIT_COUNT 1)
  if(operators)
    set(STENCILGEN_SCOP ON)
  endif()
endif()
if(NOT STENCILGEN_SCOP)
  message(STATUS "Loops of C files are not read: install libclang-19-dev and libisl-dev for them")
  return()
endif()

foreach(name IN ITEMS libclang isl)
  if(name STREQUAL "libclang")
    set(prefix STENCILGEN_CLANG)
  else()
    set(prefix STENCILGEN_ISL)
  endif()
  add_library(stencilgen_${name} UNKNOWN IMPORTED)
  add_library(stencilgen::${name} ALIAS stencilgen_${name})
  set_target_properties(stencilgen_${name} PROPERTIES
    IMPORTED_LOCATION "${${prefix}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${prefix}_INCLUDE}")
endforeach()
