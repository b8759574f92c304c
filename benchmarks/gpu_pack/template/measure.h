#pragma once

// One program: its versions are checked at small sizes, then measured in turns.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "device.h"
#include "index.h"
#include "tools/measure/json.h"

namespace pack {

#if defined(STENCILGEN_EMULATOR)
// Each library has an emulator of its own, to which the driver's memory is the host's.
constexpr const char* kEntry = "_call";
#else
constexpr const char* kEntry = "_launch";
#endif
using LaunchFunction = int (*)(void* const*, const void* const*, const int*, cudaStream_t);
using ErrorFunction = const char* (*)();
using stencilgen::measure::Quoted;

struct Outcome {
  std::string problem;
  bool correct = false;
  double error = 0;  // relative RMS, estimated
  int steps = 0;
  std::vector<double> seconds;  // of a step
};

/// The arrays of a program on the device at one size.
class Arrays {
 public:
  Arrays(const Group& group, const Size& size) : group_(group), size_(size) {
    memory.resize(group.arrays.size(), nullptr);
    for (std::size_t n = 0; n < memory.size(); ++n) {
      const std::size_t bytes = size.counts[n] * group.arrays[n].element();
      Good(cudaMalloc(&memory[n], std::max<std::size_t>(bytes, 1)), &problem, "cudaMalloc");
    }
  }
  ~Arrays() {
    for (void* one : memory) cudaFree(one);
  }
  void Fill() {
    for (std::size_t n = 0; n < memory.size(); ++n) {
      FillOnDevice(group_.arrays[n].type, memory[n], size_.counts[n], n + 1, group_.lowest);
    }
    Good(cudaDeviceSynchronize(), &problem, "filling arrays");
  }

  std::vector<void*> memory;
  std::string problem;

 private:
  const Group& group_;
  const Size& size_;
};

class Measurement {
 public:
  /// `sample`: seconds of a sample, at least; 0: check only.
  Measurement(const Group& group, double sample) : group_(group), sample_(sample) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
#if !defined(STENCILGEN_EMULATOR)
    // Scratch memory that a call gives back stays with the process.
    cudaMemPool_t pool;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) {
      std::uint64_t all = ~std::uint64_t(0);
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    }
#endif
    values_.reserve(group.scalars.size());
    for (const auto& [type, value] : group.scalars) {
      values_.emplace_back();
      const float single = static_cast<float>(value);
      const std::int32_t integer = static_cast<std::int32_t>(value);
      const bool bit = value != 0;
      std::memcpy(&values_.back(), &value, sizeof value);
      if (type == "float") std::memcpy(&values_.back(), &single, sizeof single);
      if (type == "int") std::memcpy(&values_.back(), &integer, sizeof integer);
      if (type == "bool") std::memcpy(&values_.back(), &bit, sizeof bit);
    }
    for (const std::uint64_t& value : values_) scalars_.push_back(&value);
  }

  /// JSON objects, one a size, separated by commas.
  std::string Run() {
    for (const Version& version : group_.versions) loaded_.push_back(Load(version));
    for (std::size_t n = 0; n < loaded_.size(); ++n) {
      if (loaded_[n].launch != nullptr) Check(&loaded_[n]);
    }
    std::string json;
    for (const auto& [name, size] : group_.sizes) {
      if (!json.empty()) json += ",\n";
      json += MeasureSize(name, size);
    }
    return json;
  }

 private:
  struct Loaded {
    const Version* version = nullptr;
    LaunchFunction launch = nullptr;
    ErrorFunction error = nullptr;
    Outcome check;
  };

  static Loaded Load(const Version& version) {
    Loaded loaded;
    loaded.version = &version;
    void* library = dlopen(("./lib/" + version.library + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      loaded.check.problem = "not built (see log/" + version.library + ".log)";
      return loaded;
    }
    loaded.launch =
        reinterpret_cast<LaunchFunction>(dlsym(library, (version.function + kEntry).c_str()));
    loaded.error =
        reinterpret_cast<ErrorFunction>(dlsym(library, (version.function + "_error").c_str()));
    if (loaded.launch == nullptr) loaded.check.problem = "the library has no entry point";
    return loaded;
  }

  bool Launch(const Loaded& loaded, Arrays* arrays, const std::vector<int>& parameters,
              std::string* problem) const {
    const int status =
        loaded.launch(arrays->memory.data(), scalars_.data(), parameters.data(), stream_);
    if (status == 0) return true;
    *problem =
        "status " + std::to_string(status) + ": " + (loaded.error != nullptr ? loaded.error() : "");
    return false;
  }

  template <typename T>
  Sketch SketchOf(std::size_t array, const void* memory, std::string* problem) const {
    std::vector<char> bytes(group_.small.counts[array] * sizeof(T));
    Good(cudaMemcpy(bytes.data(), memory, bytes.size(), cudaMemcpyDeviceToHost), problem,
         "copying a result");
    std::vector<char> skip(group_.small.counts[array], 0);
    const auto undefined = group_.undefined.find(array);
    if (undefined != group_.undefined.end()) {
      const std::vector<std::size_t>& runs = undefined->second;
      for (std::size_t n = 0; n + 1 < runs.size(); n += 2) {
        std::fill_n(skip.begin() + static_cast<long>(runs[n]), runs[n + 1], 1);
      }
    }
    Sketch sketch;
    for (std::size_t n = 0; n < skip.size(); ++n) {
      if (skip[n] != 0) continue;
      T value;
      std::memcpy(&value, bytes.data() + n * sizeof(T), sizeof(T));
      sketch.Add(n, static_cast<double>(value));
    }
    return sketch;
  }

  void Check(Loaded* loaded) const {
    Outcome& check = loaded->check;
    Arrays arrays(group_, group_.small);
    arrays.Fill();
    check.problem = arrays.problem;
    if (!check.problem.empty() ||
        !Launch(*loaded, &arrays, group_.small.parameters, &check.problem) ||
        !Good(cudaStreamSynchronize(stream_), &check.problem, "running")) {
      return;
    }
    for (const auto& [array, expected] : group_.expected) {
      const std::string& type = group_.arrays[array].type;
      const void* memory = arrays.memory[array];
      const Sketch got = type == "double"  ? SketchOf<double>(array, memory, &check.problem)
                         : type == "float" ? SketchOf<float>(array, memory, &check.problem)
                         : type == "int"   ? SketchOf<std::int32_t>(array, memory, &check.problem)
                                           : SketchOf<std::uint8_t>(array, memory, &check.problem);
      const double error = got.RelativeError(expected);
      check.error = std::max(check.error, error);
      const double tolerance = type == "double" || type == "float" ? group_.tolerance : 0;
      if (!(error <= tolerance) || got.count != expected.count) {
        char text[120];
        std::snprintf(text, sizeof text, "wrong: relative RMS error %.3g of array %zu", error,
                      array);
        check.problem = text;
        return;
      }
    }
    check.correct = check.problem.empty();
  }

  std::string MeasureSize(const std::string& name, const Size& size) {
    std::vector<Outcome> outcomes;
    std::vector<std::size_t> running;
    const bool check_only = sample_ <= 0;
    Arrays arrays(group_, check_only ? group_.small : size);
    for (std::size_t n = 0; n < loaded_.size(); ++n) {
      outcomes.push_back(loaded_[n].check);
      if (check_only) continue;
      if (!arrays.problem.empty()) outcomes.back().problem = arrays.problem;
      if (!outcomes.back().problem.empty() || loaded_[n].version->predicted.count(name) == 0)
        continue;
      if (FindSteps(loaded_[n], size, &arrays, &outcomes.back())) running.push_back(n);
    }
    constexpr int kRepeats = 5;
    for (int turn = 0; turn < kRepeats; ++turn) {
      for (std::size_t n = 0; n < running.size(); ++n) {
        const std::size_t place = (n + static_cast<std::size_t>(turn)) % running.size();
        const std::size_t at = running[turn % 2 == 0 ? place : running.size() - 1 - place];
        Outcome& outcome = outcomes[at];
        const double seconds = Time(loaded_[at], size, outcome.steps, &arrays, &outcome.problem);
        if (seconds > 0) outcome.seconds.push_back(seconds / outcome.steps);
      }
    }
    std::string json = "{" + size.description + ",\"versions\":[";
    bool first = true;
    for (std::size_t n = 0; n < loaded_.size(); ++n) {
      if (loaded_[n].version->predicted.count(name) == 0) continue;
      if (!first) json += ",";
      first = false;
      json += Describe(*loaded_[n].version, outcomes[n], loaded_[n].version->predicted.at(name));
    }
    return json + "]}";
  }

  /// Seconds of so many steps, or calls where there are none; negative where they fail.
  double Time(const Loaded& loaded, const Size& size, int steps, Arrays* arrays,
              std::string* problem) const {
    arrays->Fill();
    std::vector<int> parameters = size.parameters;
    const bool iterates = group_.steps_parameter >= 0;
    if (iterates) parameters[static_cast<std::size_t>(group_.steps_parameter)] = steps;
    Stopwatch watch;
    watch.Start(stream_);
    for (int call = 0; call < (iterates ? 1 : steps); ++call) {
      if (!Launch(loaded, arrays, parameters, problem)) return -1;
    }
    const double seconds = watch.Stop(stream_);
    if (seconds < 0) *problem = "failed on the device";
    return seconds;
  }

  /// So many steps that a sample is long enough; 1000 where that takes little more.
  bool FindSteps(const Loaded& loaded, const Size& size, Arrays* arrays, Outcome* outcome) const {
    const int fused = std::max(loaded.version->fused, 1);
    const int first = group_.steps_parameter >= 0 ? 4 * fused : 2;
    double seconds = Time(loaded, size, first, arrays, &outcome->problem);
    if (seconds > 0) seconds = Time(loaded, size, first, arrays, &outcome->problem);
    if (seconds <= 0) return false;
    const double step = seconds / first;
    constexpr int kMost = 1000;
    const double wanted = kMost * step < 2.5 * sample_ ? kMost : std::ceil(sample_ / step);
    outcome->steps = static_cast<int>(std::min<double>(kMost, wanted));
    outcome->steps = std::max((outcome->steps + fused - 1) / fused * fused, 2 * fused);
    return true;
  }

  static std::string Describe(const Version& version, const Outcome& outcome, double predicted) {
    char text[200];
    std::string json = "{\"name\":" + Quoted(version.name) + ",\"how\":" + Quoted(version.how);
    std::snprintf(text, sizeof text, ",\"fused_steps\":%d,\"correct\":%s,\"error\":%.3g",
                  version.fused, outcome.correct ? "true" : "false",
                  std::isfinite(outcome.error) ? outcome.error : 1e300);
    json += text;
    if (predicted > 0) {
      std::snprintf(text, sizeof text, ",\"predicted\":%.6g", predicted);
      json += text;
    }
    if (!outcome.problem.empty()) json += ",\"problem\":" + Quoted(outcome.problem);
    if (outcome.seconds.empty()) return json + "}";
    json += ",\"steps\":" + std::to_string(outcome.steps) + ",\"seconds\":[";
    for (std::size_t n = 0; n < outcome.seconds.size(); ++n) {
      std::snprintf(text, sizeof text, "%s%.9g", n > 0 ? "," : "", outcome.seconds[n]);
      json += text;
    }
    std::vector<double> sorted = outcome.seconds;
    std::sort(sorted.begin(), sorted.end());
    std::snprintf(text, sizeof text, "],\"median\":%.9g,\"low\":%.9g,\"high\":%.9g}",
                  sorted[sorted.size() / 2], sorted.front(), sorted.back());
    return json + text;
  }

  const Group& group_;
  const double sample_;
  cudaStream_t stream_ = nullptr;
  std::vector<std::uint64_t> values_;
  std::vector<const void*> scalars_;
  std::vector<Loaded> loaded_;
};

}  // namespace pack
