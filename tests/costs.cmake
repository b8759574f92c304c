# The longest tests of the folder that includes this, by their seconds of processor time on 2 cores:
# CTest starts with the longest, so that no core waits for one at the end. What is not listed takes
# less than half a minute. Rough numbers do.
set(costs
  differential_first 200
  differential_second 190
  cpp_blocks 180
  scop_exec 160
  cli 150
  ranks 110
  choose_schedule 90
  dropped_barriers 90
  explain_page 90
  ranks_cuda 90
  ranks_overlap 90
  ranks_reduce 90
  ranks_some 90
  ranks_files 80
  ranks_multigrid 80
  python 80
  scop_random 80
  default_plans 60
  default_plans_more 60
  examples 60
  examples_more 60
  ranks_blocks 60
  schedules 60
  turn_graphs 60
  cost_traffic 50
  fuse 50
  ranks_mismatch 50
  ranks_scaling 50
  schedules_more 50
  traffic 50
  code_pipelines 45
  install_consumer 40
  install_interfaces 40
  tune_cli 40
  tune_offline 40
  registers_table 35
  split_programs 35
  unroll_time 35
  code_loops 30
  embedded_exec 30
  fused_reduction 30
  fusion_table 30)
get_property(tests DIRECTORY PROPERTY TESTS)
while(costs)
  list(POP_FRONT costs test seconds)
  if(test IN_LIST tests)
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  endif()
endwhile()
