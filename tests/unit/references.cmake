stencilgen_test(references SOURCES references_test.cpp)
