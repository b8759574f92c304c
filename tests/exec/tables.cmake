# Rows of the tables in benchmarks/ are what the commands say now; no default plan spills.
add_test(NAME traffic_table COMMAND traffic_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/traffic.md" j2d5pt gaussian j3d7pt j3d27pt)
set_tests_properties(traffic_table PROPERTIES LABELS exec)
add_test(NAME real_programs_table COMMAND real_programs_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/real_programs.md" cahn-hilliard gray-scott)
set_tests_properties(real_programs_table PROPERTIES LABELS exec)
add_test(NAME hexagons_table COMMAND hexagons_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/hexagons.md" fdtd2d)
set_tests_properties(hexagons_table PROPERTIES LABELS exec)
add_test(NAME registers_table COMMAND registers_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/registers.md")
set_tests_properties(registers_table PROPERTIES LABELS "exec;nvcc")
add_test(NAME fusion_table COMMAND fusion_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/fusion.md")
set_tests_properties(fusion_table PROPERTIES LABELS exec)
add_test(NAME spills_table COMMAND spills_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/spills.md" 2d25pt 3d27pt)
set_tests_properties(spills_table PROPERTIES LABELS "exec;nvcc")
add_test(NAME tiled_spills_table COMMAND tiled_spills_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/tiled_spills.md" 2d25pt)
set_tests_properties(tiled_spills_table PROPERTIES LABELS "exec;nvcc")
add_test(NAME cpu_accesses_table COMMAND cpu_accesses_table
  --check "${PROJECT_SOURCE_DIR}/benchmarks/cpu_accesses.md" 2d25pt)
set_tests_properties(cpu_accesses_table PROPERTIES LABELS exec)
