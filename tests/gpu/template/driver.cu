// Runs the programs of this folder on the GPU. `driver check` compares each result with the
// reference in data/ and writes check.json. Every program runs in a process of its own, with a time
// limit, so that one that crashes or hangs does not stop the rest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

#include "common.h"
#include "process.h"

namespace {

template <typename T>
T At(const Bytes& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Empty where the result is right, else what is wrong with it. Sets the error found.
template <typename T>
std::string CompareValues(const Array& array, const Bytes& got, const Bytes& want,
                          const Bytes& defined, double tolerance, double* relative) {
  double error = 0, norm = 0, count = 0;
  for (std::size_t n = 0; n < array.count; ++n) {
    if (!defined[n]) continue;
    const T g = At<T>(got, n), w = At<T>(want, n);
    const double gd = static_cast<double>(g), wd = static_cast<double>(w);
    const bool same = std::memcmp(&g, &w, sizeof(T)) == 0 || (std::isnan(gd) && std::isnan(wd));
    const bool exact =
        tolerance == 0 || !(std::is_same<T, float>::value || std::is_same<T, double>::value);
    if ((exact && !same) || (!exact && !std::isfinite(gd) && std::isfinite(wd))) {
      char text[200];
      std::snprintf(text, sizeof text, "%s[%zu] is %.17g, should be %.17g", array.name.c_str(), n,
                    gd, wd);
      return text;
    }
    if (!std::isfinite(gd) || !std::isfinite(wd)) continue;
    error += (gd - wd) * (gd - wd);
    norm += wd * wd;
    ++count;
  }
  if (count == 0) return "";
  *relative =
      std::max(*relative, std::sqrt(error / count) / std::max(std::sqrt(norm / count), 0.1));
  if (tolerance == 0 || *relative <= tolerance) return "";
  char text[200];
  std::snprintf(text, sizeof text, "%s: relative RMS error %.3g", array.name.c_str(), *relative);
  return text;
}

std::string Compare(const Array& array, const Bytes& got, const Bytes& want, const Bytes& defined,
                    double tolerance, double* relative) {
  if (array.type == "double") {
    return CompareValues<double>(array, got, want, defined, tolerance, relative);
  }
  if (array.type == "float") {
    return CompareValues<float>(array, got, want, defined, tolerance, relative);
  }
  if (array.type == "int") {
    return CompareValues<std::int32_t>(array, got, want, defined, tolerance, relative);
  }
  return CompareValues<std::uint8_t>(array, got, want, defined, tolerance, relative);
}

/// "ok <relative error>" or what is wrong.
std::string RunTest(const Test& test) {
  std::string error;
  void* library = Open(test.library, &error);
  if (library == nullptr) return error;
  const auto call = Find<CallFunction>(library, test.library, "_call");
  const auto message = Find<ErrorFunction>(library, test.library, "_error");
  if (call == nullptr) return "the library has no entry point";

  std::ifstream file("data/" + test.name + ".bin", std::ios::binary);
  std::vector<Bytes> scalars, memory, before;
  for (const std::size_t size : test.scalar_sizes) scalars.push_back(ReadBytes(file, size));
  for (const Array& array : test.arrays)
    memory.push_back(ReadBytes(file, array.count * array.element));
  before = memory;
  std::vector<void*> arrays;
  std::vector<const void*> scalar_pointers;
  for (Bytes& bytes : memory) arrays.push_back(bytes.data());
  for (const Bytes& bytes : scalars) scalar_pointers.push_back(bytes.data());
  const int status = call(arrays.data(), scalar_pointers.data(), test.parameters.data());
  if (status != 0) {
    return "status " + std::to_string(status) + ": " + (message != nullptr ? message() : "");
  }
  double relative = 0;
  for (std::size_t n = 0; n < test.arrays.size(); ++n) {
    const Array& array = test.arrays[n];
    if (!array.output) {
      if (memory[n] != before[n]) return array.name + " was changed but is not copied out";
      continue;
    }
    const Bytes want = ReadBytes(file, array.count * array.element);
    const Bytes defined = ReadBytes(file, array.count);
    if (!file) return "data/" + test.name + ".bin is too short";
    const std::string wrong = Compare(array, memory[n], want, defined, test.tolerance, &relative);
    if (!wrong.empty()) return wrong;
  }
  char text[40];
  std::snprintf(text, sizeof text, "ok %.3g", relative);
  return text;
}

int Check(int jobs, bool in_process, std::size_t limit) {
  std::vector<Test> tests = ReadTests();
  if (tests.size() > limit) tests.resize(limit);
  std::vector<std::string> answers(tests.size());
  struct Running {
    std::size_t test;
    pack::Child child;
  };
  std::vector<Running> running;
  const auto finish = [&](const Running& one) {
    std::string problem;
    const std::string answer = pack::Finish(one.child, &problem);
    answers[one.test] = problem.empty() ? answer : problem;
  };
  for (std::size_t n = 0; n < tests.size(); ++n) {
    if (in_process) {
      answers[n] = RunTest(tests[n]);
      continue;
    }
    if (running.size() >= static_cast<std::size_t>(jobs)) {
      finish(running.front());
      running.erase(running.begin());
    }
    running.push_back({n, pack::Start(60, [&] { return RunTest(tests[n]); })});
  }
  for (const Running& one : running) finish(one);

  std::size_t passed = 0;
  std::ofstream json("check.json");
  json << "{\"tests\":[";
  for (std::size_t n = 0; n < tests.size(); ++n) {
    const bool ok = IsOk(answers[n]);
    passed += ok;
    std::printf("%-44s %s\n", tests[n].name.c_str(), answers[n].c_str());
    json << (n > 0 ? ",\n" : "\n") << "{\"name\":" << Quoted(tests[n].name)
         << ",\"passed\":" << (ok ? "true" : "false") << ",\"result\":" << Quoted(answers[n])
         << ",\"tolerance\":" << tests[n].tolerance << "}";
  }
  json << "\n],\"passed\":" << passed << ",\"failed\":" << tests.size() - passed << "}\n";
  std::printf("%zu passed, %zu failed\n", passed, tests.size() - passed);
  return passed == tests.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "check";
  int jobs = 8;
  bool in_process = false;
  std::size_t limit = static_cast<std::size_t>(-1);
  for (int n = 2; n < argc; ++n) {
    const std::string option = argv[n];
    if (option == "--in-process") {
      in_process = true;
    } else if (option == "--jobs" && n + 1 < argc) {
      jobs = std::max(1, std::atoi(argv[++n]));
    } else if (option == "--limit" && n + 1 < argc) {
      limit = static_cast<std::size_t>(std::atol(argv[++n]));
    } else {
      mode = "";
    }
  }
  if (mode == "check") return Check(jobs, in_process, limit);
  std::fprintf(stderr, "usage: %s check [--jobs N] [--in-process] [--limit N]\n", argv[0]);
  return 2;
}
