include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

add_executable(differential_test differential_test.cpp shrink.cpp)
target_include_directories(differential_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(differential_test PRIVATE stencilgen_catch stencilgen_test_programs)
target_compile_definitions(differential_test PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(differential_test)
# Two CTest tests of one program, so that they run side by side.
foreach(half IN ITEMS first second)
  add_test(NAME differential_${half} COMMAND differential_test "[${half}]")
  set_tests_properties(differential_${half} PROPERTIES LABELS fuzz ENVIRONMENT OMP_NUM_THREADS=2)
endforeach()

find_package(CLI11 REQUIRED)
add_executable(differential_fuzz differential_fuzz.cpp shrink.cpp)
target_include_directories(differential_fuzz PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(differential_fuzz PRIVATE stencilgen_test_programs CLI11::CLI11)
target_compile_definitions(differential_fuzz PRIVATE STENCILGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
stencilgen_warnings(differential_fuzz)
