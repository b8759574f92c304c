// Runs the programs of this folder on the GPU. `driver check` compares each result with the
// reference in data/ and writes check.json; `driver time` measures the benchmarks at full size and
// writes time.json. Every program runs in a process of its own, with a time limit, so that one that
// crashes or hangs does not stop the rest.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

#include "common.h"

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
  std::vector<Child> running;
  for (std::size_t n = 0; n < tests.size(); ++n) {
    if (in_process) {
      answers[n] = RunTest(tests[n]);
      continue;
    }
    if (running.size() >= static_cast<std::size_t>(jobs)) {
      answers[running.front().index] = Finish(running.front());
      running.erase(running.begin());
    }
    running.push_back(Start(n, 60, [&] { return RunTest(tests[n]); }));
  }
  for (const Child& child : running) answers[child.index] = Finish(child);

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

/// Random elements in [lowest, 1]; quick, since arrays are large.
template <typename T>
void Fill(Bytes* bytes, double lowest, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  T* const elements = reinterpret_cast<T*>(bytes->data());
  const std::size_t count = bytes->size() / sizeof(T);
  const double scale = (1 - lowest) / 9007199254740992.0;
  for (std::size_t n = 0; n < count; ++n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    elements[n] = static_cast<T>(lowest + scale * static_cast<double>(state >> 11));
  }
}

/// "ok <milliseconds median> <min> <max> <steps>" or what is wrong.
std::string TimeBenchmark(const Benchmark& benchmark) {
  std::string error;
  void* library = Open(benchmark.library, &error);
  if (library == nullptr) return error;
  const auto time = Find<TimeFunction>(library, benchmark.library, "_time");
  const auto message = Find<ErrorFunction>(library, benchmark.library, "_error");
  if (time == nullptr) return "the library has no timing entry point";
  std::vector<Bytes> memory;
  for (std::size_t n = 0; n < benchmark.arrays.size(); ++n) {
    memory.emplace_back(benchmark.arrays[n] * benchmark.element);
    if (benchmark.element == 4) {
      Fill<float>(&memory.back(), benchmark.lowest, n);
    } else {
      Fill<double>(&memory.back(), benchmark.lowest, n);
    }
  }
  std::vector<void*> arrays;
  for (Bytes& bytes : memory) arrays.push_back(bytes.data());
  std::vector<float> single(benchmark.scalars.begin(), benchmark.scalars.end());
  std::vector<const void*> scalars;
  for (std::size_t n = 0; n < benchmark.scalars.size(); ++n) {
    scalars.push_back(benchmark.element == 4 ? static_cast<const void*>(&single[n])
                                             : static_cast<const void*>(&benchmark.scalars[n]));
  }
  std::vector<int> parameters = benchmark.parameters;
  const auto measure = [&](int warmups, std::vector<double>* milliseconds) {
    return time(arrays.data(), scalars.data(), parameters.data(), warmups,
                static_cast<int>(milliseconds->size()), milliseconds->data()) == 0;
  };
  // A first look decides how many steps fill 120 ms.
  std::vector<double> first(1);
  if (!measure(1, &first)) return std::string("failed: ") + (message != nullptr ? message() : "");
  int steps = 1;
  if (benchmark.steps_parameter >= 0) {
    int& count = parameters[static_cast<std::size_t>(benchmark.steps_parameter)];
    const double step = std::max(first[0] / count, 1e-3);
    count = std::max(count, std::min(400, static_cast<int>(120 / step)));
    steps = count;
  }
  std::vector<double> times(benchmark.steps_parameter >= 0 ? 7 : 25);
  if (!measure(1, &times)) return std::string("failed: ") + (message != nullptr ? message() : "");
  std::sort(times.begin(), times.end());
  char text[160];
  std::snprintf(text, sizeof text, "ok %.6f %.6f %.6f %d", times[times.size() / 2] / steps,
                times.front() / steps, times.back() / steps, steps);
  return text;
}

/// GB/s of a large copy on the device, bytes read plus written; 0 where it fails.
std::string CopyBandwidth() {
  const std::size_t bytes = std::size_t{1} << 31;
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) {
    return "no memory";
  }
  cudaMemset(from, 1, bytes);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times;
  for (int n = 0; n < 12; ++n) {
    cudaEventRecord(start);
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaEventRecord(stop);
    if (cudaEventSynchronize(stop) != cudaSuccess) return "copy failed";
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, stop);
    if (n >= 2) times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return "ok " + std::to_string(2.0 * static_cast<double>(bytes) / times[times.size() / 2] / 1e6);
}

int Time() {
  const std::vector<Benchmark> benchmarks = ReadBenchmarks();
  const std::string copy = Finish(Start(0, 60, [] { return CopyBandwidth(); }));
  const double copy_rate = IsOk(copy) ? std::atof(copy.c_str() + 3) : 0;
  std::ofstream json("time.json");
  json << "{\"copy_gb_per_s\":" << copy_rate << ",\"benchmarks\":[";
  std::printf("copy on the device: %.0f GB/s\n", copy_rate);
  std::printf("%-24s %6s %12s %10s %10s %8s %10s\n", "benchmark", "steps", "ms a step", "spread %",
              "GPts/s", "GB/s", "of copy %");
  std::size_t passed = 0, n = 0;
  for (const Benchmark& b : benchmarks) {
    const std::string answer = Finish(Start(0, 90, [&] { return TimeBenchmark(b); }));
    json << (n++ > 0 ? ",\n" : "\n") << "{\"name\":" << Quoted(b.name);
    double median = 0, fastest = 0, slowest = 0;
    int steps = 0;
    if (!IsOk(answer) || std::sscanf(answer.c_str(), "ok %lf %lf %lf %d", &median, &fastest,
                                     &slowest, &steps) != 4) {
      std::printf("%-24s %s\n", b.name.c_str(), answer.c_str());
      json << ",\"error\":" << Quoted(answer) << "}";
      continue;
    }
    ++passed;
    const double points = b.points / median / 1e6;
    const double bytes = points * b.arrays_moved * static_cast<double>(b.element);
    std::printf("%-24s %6d %12.4f %10.1f %10.2f %8.0f %10.1f\n", b.name.c_str(), steps, median,
                100 * (slowest - fastest) / median, points, bytes,
                copy_rate > 0 ? 100 * bytes / copy_rate : 0.0);
    std::fflush(stdout);
    json << ",\"milliseconds_per_step\":" << median << ",\"fastest\":" << fastest
         << ",\"slowest\":" << slowest << ",\"steps\":" << steps << ",\"gpts_per_s\":" << points
         << ",\"gb_per_s\":" << bytes << ",\"gflops\":" << points * b.flops_per_point << "}";
  }
  json << "\n]}\n";
  std::printf("%zu timed, %zu failed\n", passed, benchmarks.size() - passed);
  return passed == benchmarks.size() ? 0 : 1;
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
  if (mode == "time") return Time();
  std::fprintf(stderr, "usage: %s check [--jobs N] [--in-process] [--limit N] | time\n", argv[0]);
  return 2;
}
