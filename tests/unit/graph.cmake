stencilgen_test(graph
  SOURCES
    graph_analysis_test.cpp graph_interpret_test.cpp graph_linear_test.cpp graph_loop_test.cpp graph_paths_test.cpp
    graph_print_test.cpp graph_random_test.cpp graph_turn_test.cpp graph_verify_test.cpp
  LINK stencilgen::graph stencilgen::passes)
# Their helpers have the same names.
set_target_properties(graph_test PROPERTIES UNITY_BUILD OFF)
