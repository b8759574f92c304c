find_package(Boost REQUIRED COMPONENTS context)
stencilgen_test(emulator
  SOURCES emulator_test.cpp emulator_detection_test.cpp emulator_runtime_test.cpp
  LINK stencilgen::runtime Boost::context)
