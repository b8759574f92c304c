# stencilgen_warnings(TARGET): the warnings our own code is held to.
function(stencilgen_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of short strings that are assigned from literals (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(STENCILGEN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  else()
    # Against an -Werror of the project that stencilgen is a part of.
    target_compile_options(${target} PRIVATE -Wno-error)
  endif()
endfunction()
