#pragma once

// What there is to check, and the generated libraries.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "tools/measure/elements.h"
#include "tools/measure/json.h"

using stencilgen::measure::Bytes;
using stencilgen::measure::ElementSize;
using stencilgen::measure::Quoted;
using stencilgen::measure::ReadBytes;

using CallFunction = int (*)(void* const*, const void* const*, const int*);
using ErrorFunction = const char* (*)();

struct Array {
  std::string name, type;
  std::size_t count = 0;
  bool output = false;
  std::size_t element = 0;  // bytes
};

/// A line group of tests.txt; see tests/gpu/pack in the repository for what writes it.
struct Test {
  std::string name, library;
  double tolerance = 0;  // relative RMS error; 0: bit for bit
  std::vector<int> parameters;
  std::vector<std::size_t> scalar_sizes;
  std::vector<Array> arrays;
};

inline std::vector<Test> ReadTests() {
  std::vector<Test> tests;
  std::ifstream file("tests.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "test") {
      tests.emplace_back();
      words >> tests.back().name >> tests.back().library >> tests.back().tolerance;
    } else if (key == "parameters") {
      for (int value; words >> value;) tests.back().parameters.push_back(value);
    } else if (key == "scalars") {
      for (std::size_t size; words >> size;) tests.back().scalar_sizes.push_back(size);
    } else if (key == "array") {
      Array array;
      words >> array.name >> array.type >> array.count >> array.output;
      array.element = ElementSize(array.type);
      tests.back().arrays.push_back(array);
    }
  }
  return tests;
}

template <typename Function>
Function Find(void* library, const std::string& name, const char* suffix) {
  return reinterpret_cast<Function>(dlsym(library, (name + suffix).c_str()));
}

inline void* Open(const std::string& name, std::string* error) {
  void* library = dlopen(("./lib/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) *error = "not built (see log/" + name + ".log)";
  return library;
}

inline bool IsOk(const std::string& answer) {
  return answer.rfind("ok", 0) == 0;
}
