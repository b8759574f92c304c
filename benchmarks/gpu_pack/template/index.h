#pragma once

// index.txt: what the pack holds. Lines of words; see compile_pack in the repository for what
// writes it.
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "inputs.h"

namespace pack {

struct Array {
  std::string type;
  bool output = false;
  std::size_t element() const { return type == "double" ? 8 : type == "bool" ? 1 : 4; }
};

/// Values of the parameters, and the elements of each array there.
struct Size {
  std::string description;  ///< JSON of what the results say about the program, without braces
  std::vector<int> parameters;
  std::vector<std::size_t> counts;
};

struct Version {
  std::string name, library, function, how;
  int fused = 1;
  std::map<std::string, double> predicted;  ///< seconds a step, by size: where it is measured
};

/// A program in one precision.
struct Group {
  std::string name;
  int steps_parameter = -1;  ///< -1: no time steps
  double lowest = -1, tolerance = 0;
  std::vector<Array> arrays;
  std::vector<std::pair<std::string, double>> scalars;  ///< type, value
  Size small;
  std::map<std::string, Size> sizes;
  std::map<std::size_t, Sketch> expected;                     ///< by output
  std::map<std::size_t, std::vector<std::size_t>> undefined;  ///< by output: first, count, ...
  std::vector<Version> versions;
};

inline std::vector<Group> ReadIndex(const char* path) {
  std::vector<Group> groups;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key, name;
    words >> key;
    if (key == "group") {
      groups.emplace_back();
      words >> groups.back().name;
      continue;
    }
    if (groups.empty()) continue;
    Group& group = groups.back();
    const auto rest = [&] {
      std::string text;
      std::getline(words >> std::ws, text);
      return text;
    };
    if (key == "program") {
      words >> group.steps_parameter >> group.lowest >> group.tolerance;
    } else if (key == "array") {
      Array array;
      words >> array.type >> array.output;
      group.arrays.push_back(array);
    } else if (key == "scalar") {
      double value = 0;
      words >> name >> value;
      group.scalars.emplace_back(name, value);
    } else if (key == "parameters" || key == "counts") {
      words >> name;
      Size& size = name == "small" ? group.small : group.sizes[name];
      for (std::size_t value; words >> value;) {
        if (key == "counts") {
          size.counts.push_back(value);
        } else {
          size.parameters.push_back(static_cast<int>(value));
        }
      }
    } else if (key == "describe") {
      words >> name;
      group.sizes[name].description = rest();
    } else if (key == "expected") {
      std::size_t array = 0;
      words >> array;
      Sketch& sketch = group.expected[array];
      words >> sketch.count >> sketch.squares;
      for (double& sum : sketch.sums) words >> sum;
    } else if (key == "undefined") {
      std::size_t array = 0;
      words >> array;
      for (std::size_t value; words >> value;) group.undefined[array].push_back(value);
    } else if (key == "version") {
      Version version;
      words >> version.name >> version.library >> version.function >> version.fused;
      version.how = rest();
      group.versions.push_back(version);
    } else if (key == "measure") {
      double predicted = 0;
      words >> name >> predicted;
      group.versions.back().predicted[name] = predicted;
    }
  }
  return groups;
}

}  // namespace pack
