find_package(Boost REQUIRED COMPONENTS context)
find_package(Threads REQUIRED)
stencilgen_test(emulator
  SOURCES emulator_test.cpp emulator_detection_test.cpp emulator_graph_test.cpp emulator_runtime_test.cpp
          emulator_tile_test.cpp emulator_turn_graph_test.cpp
  LINK stencilgen::runtime Boost::context Threads::Threads)
target_compile_definitions(emulator_test PRIVATE STENCILGEN_EMULATOR)
# The kernels of the test above are compiled by nvcc, where it is.
stencilgen_test(tile_nvcc SOURCES tile_nvcc_test.cpp LINK stencilgen::driver LABELS nvcc)
stencilgen_test(emulator_control SOURCES emulator_control_test.cpp LINK stencilgen::tools_run)
