stencilgen_test(driver_options
  SOURCES driver_options_test.cpp driver_option_checks_test.cpp driver_program_options_test.cpp
    driver_explain_test.cpp
  LINK stencilgen::tools_explain)
stencilgen_test(driver_files SOURCES driver_device_file_test.cpp driver_files_test.cpp driver_npy_test.cpp
  LINK stencilgen::tools_run)
find_package(GIF REQUIRED)
stencilgen_test(draw SOURCES draw_picture_test.cpp draw_animation_test.cpp
  LINK stencilgen::tools_draw GIF::GIF)
stencilgen_test(machine_description SOURCES machine_description_test.cpp LINK stencilgen::machine)
stencilgen_test(machine_topology SOURCES machine_topology_test.cpp LINK stencilgen::tools_machine)
stencilgen_test(driver_progress SOURCES driver_progress_test.cpp LINK stencilgen::driver)
stencilgen_test(driver_recompile SOURCES driver_recompile_test.cpp LINK stencilgen::driver LABELS nvcc)
stencilgen_test(driver_run SOURCES driver_run_test.cpp LINK stencilgen::tools_run)
stencilgen_test(prepared_emulator SOURCES prepared_emulator_test.cpp LINK stencilgen::driver)
stencilgen_test(front_end SOURCES front_end_test.cpp LINK stencilgen::driver)
