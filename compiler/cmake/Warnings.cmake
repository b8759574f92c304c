# stencilgen_warnings(TARGET): the warnings our own code is held to.
function(stencilgen_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
  if(STENCILGEN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
