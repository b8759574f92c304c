# The longest tests of the folder that includes this, by their seconds of processor time on 2 cores:
# CTest starts with the longest, so that no core waits for one at the end. What is not listed takes
# less than half a minute. Rough numbers do.
set(costs
  python 200
  differential_first 190
  scop_exec 230
  explain_page 140
  ranks_cuda 130
  ranks_some 130
  cli 120
  differential_second 120
  ranks 100
  scop_random 100
  choose_schedule 90
  cpp_blocks 90
  examples_more 90
  lint 90
  examples 80
  readme 80
  benchmark_run 70
  ranks_reduce 70
  benchmark_rivals 60
  default_plans_more 60
  ranks_files 60
  fusion_table 55
  embedded_exec 50
  ranks_multigrid 50
  ranks_scaling 50
  dropped_barriers 40
  ranks_mismatch 40
  registers_table 40
  schedules 40
  code_pipelines 36
  ranks_overlap 36
  traffic 36
  machine_cli 33
  code_loops 30
  default_plans 30
  fused_reduction 30
  install_interfaces 30
  turn_graphs 30)
get_property(tests DIRECTORY PROPERTY TESTS)
while(costs)
  list(POP_FRONT costs test seconds)
  if(test IN_LIST tests)
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  endif()
endwhile()
