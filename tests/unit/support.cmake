find_package(nlohmann_json REQUIRED)
stencilgen_test(support
  SOURCES support_diagnostics_test.cpp support_parallel_test.cpp support_source_test.cpp support_text_test.cpp
  LINK stencilgen::support nlohmann_json::nlohmann_json)
