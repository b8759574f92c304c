#include "tools/tune/offline/plan.h"

#include <fstream>
#include <sstream>

namespace stencilgen::measure {

Plan ReadPlan(const std::string& file) {
  Plan plan;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "function") words >> plan.function;
    if (key == "candidates") words >> plan.candidates;
    if (key == "check_parameters") {
      for (int value; words >> value;) plan.check_parameters.push_back(value);
    }
    if (key == "parameters") {
      for (int value; words >> value;) plan.parameters.push_back(value);
    }
    if (key == "steps") {
      for (std::size_t index; words >> index;) plan.steps.push_back(index);
    }
    if (key == "scalar") {
      plan.scalars.emplace_back();
      words >> plan.scalars.back();
    }
    if (key == "check_array" || key == "array") {
      PlannedArray array;
      words >> array.name >> array.type >> array.count >> array.output >> array.tolerance;
      (key == "array" ? plan.arrays : plan.check_arrays).push_back(array);
    }
  }
  return plan;
}

}  // namespace stencilgen::measure
