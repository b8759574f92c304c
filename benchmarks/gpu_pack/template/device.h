#pragma once

// The device's memory and clocks, and what it reaches.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "inputs.h"

namespace pack {

inline bool Good(cudaError_t result, std::string* problem, const char* what) {
  if (result == cudaSuccess) return true;
  if (problem->empty()) *problem = std::string(what) + ": " + cudaGetErrorString(result);
  return false;
}

template <typename... Parameters, typename... Arguments>
cudaError_t Start(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <typename T>
__global__ void FillKernel(T* elements, std::size_t count, std::uint64_t seed, double lowest) {
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; n < count; n += step) {
    elements[n] = Input<T>(seed, n, lowest);
  }
}

inline void FillOnDevice(const std::string& type, void* memory, std::size_t count,
                         std::uint64_t seed, double lowest) {
  constexpr std::size_t kThreads = 256, kMostBlocks = 2048;
  const std::size_t blocks = std::min(kMostBlocks, (count + kThreads - 1) / kThreads);
  if (count == 0) return;
  if (type == "double") {
    Start(FillKernel<double>, static_cast<int>(blocks), static_cast<int>(kThreads),
          static_cast<double*>(memory), count, seed, lowest);
  } else if (type == "float") {
    Start(FillKernel<float>, static_cast<int>(blocks), static_cast<int>(kThreads),
          static_cast<float*>(memory), count, seed, lowest);
  } else if (type == "int") {
    Start(FillKernel<std::int32_t>, static_cast<int>(blocks), static_cast<int>(kThreads),
          static_cast<std::int32_t*>(memory), count, seed, lowest);
  } else {
    Start(FillKernel<std::uint8_t>, static_cast<int>(blocks), static_cast<int>(kThreads),
          static_cast<std::uint8_t*>(memory), count, seed, lowest);
  }
}

class Stopwatch {
 public:
  Stopwatch() {
    cudaEventCreate(&start_);
    cudaEventCreate(&stop_);
  }
  void Start(cudaStream_t stream) { cudaEventRecord(start_, stream); }
  /// Seconds since Start; negative where something failed in between.
  double Stop(cudaStream_t stream) {
    cudaEventRecord(stop_, stream);
    float milliseconds = 0;
    if (cudaEventSynchronize(stop_) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, start_, stop_) != cudaSuccess) {
      return -1;
    }
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Multiply-adds on values that stay in registers.
template <typename T>
__global__ void MultiplyAdds(T* result, T a, T b, int turns) {
  T values[8];
  for (int n = 0; n < 8; ++n) values[n] = T(threadIdx.x + n);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int n = 0; n < 8; ++n) values[n] = values[n] * a + b;
  }
  T sum = 0;
  for (int n = 0; n < 8; ++n) sum += values[n];
  if (sum == T(-1)) *result = sum;
}

template <typename T>
double FlopsPerSecond(int multiprocessors) {
#if defined(STENCILGEN_EMULATOR)
  return 0 * multiprocessors;
#else
  T* result = nullptr;
  if (cudaMalloc(&result, sizeof(T)) != cudaSuccess) return 0;
  constexpr int kTurns = 40000, kThreads = 256;
  const int blocks = 8 * multiprocessors;
  Stopwatch watch;
  double best = 0;
  for (int n = 0; n < 4; ++n) {
    watch.Start(nullptr);
    Start(MultiplyAdds<T>, blocks, kThreads, result, T(0.999), T(0.001), kTurns);
    const double seconds = watch.Stop(nullptr);
    if (seconds > 0) best = std::max(best, 16.0 * kTurns * kThreads * blocks / seconds);
  }
  cudaFree(result);
  return best;
#endif
}

/// Bytes/s of a large copy on the device, read plus written; 0 where it fails.
inline double CopyBandwidth() {
#if defined(STENCILGEN_EMULATOR)
  const std::size_t bytes = std::size_t(1) << 20;
#else
  const std::size_t bytes = std::size_t(1) << 31;
#endif
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return 0;
  FillOnDevice("double", from, bytes / 8, 1, 0);
  Stopwatch watch;
  std::vector<double> seconds;
  for (int n = 0; n < 12; ++n) {
    watch.Start(nullptr);
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    const double one = watch.Stop(nullptr);
    if (one <= 0) return 0;
    if (n >= 2) seconds.push_back(one);
  }
  cudaFree(from);
  cudaFree(to);
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

/// JSON about the device; empty where there is none.
inline std::string DescribeDevice() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return "";
  char text[512];
  std::snprintf(text, sizeof text,
                "{\"name\":\"%s\",\"capability\":\"%d.%d\",\"multiprocessors\":%d,"
                "\"memory_bytes\":%.0f,\"l2_bytes\":%d,\"copy_bytes_per_second\":%.6g,"
                "\"flops_double\":%.6g,\"flops_float\":%.6g}",
                device.name, device.major, device.minor, device.multiProcessorCount,
                static_cast<double>(device.totalGlobalMem), device.l2CacheSize, CopyBandwidth(),
                FlopsPerSecond<double>(device.multiProcessorCount),
                FlopsPerSecond<float>(device.multiProcessorCount));
  return text;
}

}  // namespace pack
