#include "tools/tune/offline/candidates.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <dlfcn.h>

#include "tools/measure/elements.h"
#include "tools/measure/other_load.h"

namespace stencilgen::measure {
namespace {

using CallFunction = int (*)(void* const*, const void* const*, const int*);
using TimeFunction = int (*)(void* const*, const void* const*, const int*, int, int, double*);
using ErrorFunction = const char* (*)();

/// A loaded candidate.
struct Library {
  void* handle = nullptr;
  CallFunction call = nullptr;
  TimeFunction time = nullptr;
  ErrorFunction error = nullptr;

  Library(const Plan& plan, int candidate) {
    char path[40];
    std::snprintf(path, sizeof path, "./lib/candidate_%03d.so", candidate);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    call = reinterpret_cast<CallFunction>(dlsym(handle, (plan.function + "_call").c_str()));
    time = reinterpret_cast<TimeFunction>(dlsym(handle, (plan.function + "_time").c_str()));
    error = reinterpret_cast<ErrorFunction>(dlsym(handle, (plan.function + "_error").c_str()));
  }
  bool good() const { return call != nullptr && time != nullptr && error != nullptr; }
};

/// Random elements: floating-point numbers in [-1, 1], small integers.
void Fill(const std::string& type, std::uint64_t seed, Bytes* bytes) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  const auto next = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL; };
  const auto fill = [&](auto* elements, auto value) {
    for (std::size_t n = 0; n < bytes->size() / sizeof *elements; ++n) elements[n] = value(next());
  };
  const auto unit = [](std::uint64_t bits) {
    return static_cast<double>(bits >> 11) / 4503599627370496.0 - 1;
  };
  if (type == "double") {
    fill(reinterpret_cast<double*>(bytes->data()), unit);
  } else if (type == "float") {
    fill(reinterpret_cast<float*>(bytes->data()),
         [&](std::uint64_t bits) { return static_cast<float>(unit(bits)); });
  } else if (type == "int") {
    fill(reinterpret_cast<std::int32_t*>(bytes->data()),
         [](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 62); });
  } else {
    fill(bytes->data(), [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits >> 63); });
  }
}

/// Pointers to memory, as the libraries take them.
struct Arguments {
  std::vector<Bytes> scalar_memory, memory;
  std::vector<void*> arrays;
  std::vector<const void*> scalars;

  void SetPointers() {
    for (Bytes& bytes : memory) arrays.push_back(bytes.data());
    for (const Bytes& bytes : scalar_memory) scalars.push_back(bytes.data());
  }
};

/// Empty where the array holds what it should.
std::string Wrong(const PlannedArray& array, const Bytes& got, const Bytes& want,
                  const Bytes& defined) {
  const Difference difference = Compare(array.type, got, want, defined);
  if (!difference.same && (array.tolerance == 0 || !difference.finite)) {
    return "`" + array.name + "` differs from the reference at " + std::to_string(difference.first);
  }
  if (difference.Relative() <= array.tolerance) return "";
  return "`" + array.name + "` differs from the reference by " +
         std::to_string(difference.Relative()) + " (relative RMS)";
}

std::string Check(const Plan& plan, int candidate) {
  const Library library(plan, candidate);
  if (!library.good()) return "it does not build";
  std::ifstream file("check.bin", std::ios::binary);
  Arguments arguments;
  for (const std::string& type : plan.scalars) {
    arguments.scalar_memory.push_back(ReadBytes(file, ElementSize(type)));
  }
  for (const PlannedArray& array : plan.check_arrays) {
    arguments.memory.push_back(ReadBytes(file, array.count * ElementSize(array.type)));
  }
  arguments.SetPointers();
  if (library.call(arguments.arrays.data(), arguments.scalars.data(),
                   plan.check_parameters.data()) != 0) {
    return library.error();
  }
  for (std::size_t n = 0; n < plan.check_arrays.size(); ++n) {
    const PlannedArray& array = plan.check_arrays[n];
    if (!array.output) continue;
    const Bytes want = ReadBytes(file, array.count * ElementSize(array.type));
    const Bytes defined = ReadBytes(file, array.count);
    if (!file) return "check.bin is too short";
    std::string wrong = Wrong(array, arguments.memory[n], want, defined);
    if (!wrong.empty()) return wrong;
  }
  return OkAnswer(0, 0);
}

/// The arguments that calls are timed with.
std::unique_ptr<Arguments> TimedArguments(const Plan& plan) {
  constexpr std::uint64_t kScalarSeed = 77;
  auto arguments = std::make_unique<Arguments>();
  for (std::size_t n = 0; n < plan.arrays.size(); ++n) {
    const PlannedArray& array = plan.arrays[n];
    arguments->memory.emplace_back(array.count * ElementSize(array.type));
    Fill(array.type, n, &arguments->memory.back());
  }
  for (const std::string& type : plan.scalars) {
    arguments->scalar_memory.emplace_back(ElementSize(type));
    Fill(type, kScalarSeed, &arguments->scalar_memory.back());
  }
  arguments->SetPointers();
  return arguments;
}

std::string Time(const Plan& plan, const Request& request, const Arguments& arguments) {
  const Library library(plan, request.candidate);
  if (!library.good()) return "it does not build";
  std::vector<double> times(static_cast<std::size_t>(request.repeats));
  const OtherLoad load;
  if (library.time(arguments.arrays.data(), arguments.scalars.data(), request.parameters.data(),
                   request.warmups, request.repeats, times.data()) != 0) {
    return library.error();
  }
  return OkAnswer(MedianOf(times), load.Processors());
}

}  // namespace

std::vector<Visit> Carry(const Plan& plan, const std::vector<Request>& requests) {
  std::vector<double> limits;
  for (const Request& request : requests) limits.push_back(request.limit);
  const auto start = [&]() -> Worker {
    const auto timed = std::make_shared<std::unique_ptr<Arguments>>();
    return [&, timed](std::size_t k) {
      const Request& request = requests[k];
      if (request.check) return Check(plan, request.candidate);
      if (*timed == nullptr) *timed = TimedArguments(plan);
      return Time(plan, request, **timed);
    };
  };
  return VisitAll(start, limits, [] { return false; });
}

}  // namespace stencilgen::measure
