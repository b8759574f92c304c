#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stencilgen::measure {

struct PlannedArray {
  std::string name, type;
  std::size_t count = 0;
  bool output = false;
  double tolerance = 0;  ///< relative RMS error; 0: bit for bit
};

/// What plan.txt says: how the candidates are called.
struct Plan {
  std::string function;
  int candidates = 0;
  std::vector<int> check_parameters, parameters;
  std::vector<std::size_t> steps;    ///< which parameters count time steps
  std::vector<std::string> scalars;  ///< types
  std::vector<PlannedArray> check_arrays, arrays;
};

Plan ReadPlan(const std::string& file);

}  // namespace stencilgen::measure
