# With threads and without.
stencilgen_test(memory SOURCES memory_test.cpp LINK stencilgen::runtime)
find_package(Threads REQUIRED)
target_link_libraries(memory_test PRIVATE Threads::Threads)
stencilgen_test(memory_parallel SOURCES memory_test.cpp LINK stencilgen::runtime)
target_compile_options(memory_parallel_test PRIVATE -fopenmp)
target_link_options(memory_parallel_test PRIVATE -fopenmp)
target_link_libraries(memory_parallel_test PRIVATE Threads::Threads)
