if(STENCILGEN_SCOP)
  stencilgen_test(scop_mutation SOURCES scop_mutation_test.cpp LINK stencilgen::driver LABELS fuzz)
endif()
