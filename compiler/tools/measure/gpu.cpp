#include "tools/measure/gpu.h"

#include <dlfcn.h>

#include "tools/measure/process.h"

namespace stencilgen::measure {

GpuName AskGpu() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return {};
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto attribute =
      reinterpret_cast<int (*)(int*, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  constexpr int kMajor = 75;
  constexpr int kMinor = 76;
  char model[200] = {};
  int major = 0;
  int minor = 0;
  if (init == nullptr || name == nullptr || attribute == nullptr || init(0) != 0 ||
      name(model, static_cast<int>(sizeof model) - 1, 0) != 0 ||
      attribute(&major, kMajor, 0) != 0 || attribute(&minor, kMinor, 0) != 0) {
    return {};
  }
  return {model, "sm_" + std::to_string(major) + std::to_string(minor)};
}

GpuName FindGpu() {
  constexpr double kPatience = 60;
  std::string unheard;
  const std::string line = AnswerOf(kPatience, &unheard, [] {
    const GpuName gpu = AskGpu();
    return gpu.arch + " " + gpu.model;
  });
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || space == 0) return {};
  return {line.substr(space + 1), line.substr(0, space)};
}

}  // namespace stencilgen::measure
