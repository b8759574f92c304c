include("${PROJECT_SOURCE_DIR}/tests/support/test_programs.cmake")

stencilgen_test(differential SOURCES differential_test.cpp shrink.cpp
  LINK stencilgen_test_programs LABELS fuzz
  PARTS differential_first "[first]" differential_second "[second]")
target_include_directories(differential_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
set_tests_properties(differential_first differential_second PROPERTIES ENVIRONMENT OMP_NUM_THREADS=2)

find_package(CLI11 REQUIRED)
add_executable(differential_fuzz differential_fuzz.cpp shrink.cpp)
target_include_directories(differential_fuzz PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(differential_fuzz PRIVATE stencilgen_test_programs CLI11::CLI11)
stencilgen_test_code(differential_fuzz)
