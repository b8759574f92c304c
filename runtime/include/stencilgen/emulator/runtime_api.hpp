#ifndef STENCILGEN_EMULATOR_RUNTIME_API_HPP
#define STENCILGEN_EMULATOR_RUNTIME_API_HPP

#include <cstring>
#include <map>

// POSIX, for clock_gettime.
#include <time.h>  // NOLINT(modernize-deprecated-headers)

#include "device_size.hpp"
#include "errors.hpp"
#include "graphs.hpp"
#include "memory.hpp"
#include "runtime_types.hpp"
#include "scheduler.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

inline constexpr std::size_t kSharedBytes = std::size_t{48} << 10;
inline constexpr std::size_t kSharedBytesOptin = std::size_t{227} << 10;

/// The dynamic shared memory allowed to each kernel that asked for more than the usual.
STENCILGEN_EMULATOR_VARIABLE std::map<const void*, std::size_t> shared_limits;

inline double Milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Why no such launch is possible; cudaSuccess where one is.
cudaError_t CheckLaunch(const cudaLaunchConfig_t& config, const void* kernel);
/// What cudaFuncSetAttribute does for the kernel at this address.
cudaError_t SetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);

#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION cudaError_t CheckLaunch(const cudaLaunchConfig_t& config,
                                                     const void* kernel) {
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  const unsigned long long threads = 1ULL * block.x * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) {
    return Report(cudaErrorInvalidConfiguration, "no block has %u x %u x %u threads", block.x,
                  block.y, block.z);
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647U || grid.y > 65535 ||
      grid.z > 65535) {
    return Report(cudaErrorInvalidConfiguration, "no grid has %u x %u x %u blocks", grid.x, grid.y,
                  grid.z);
  }
  const auto limit = shared_limits.find(kernel);
  const std::size_t allowed = limit == shared_limits.end() ? kSharedBytes : limit->second;
  if (config.dynamicSmemBytes > allowed) {
    return Report(cudaErrorInvalidValue, "%zu bytes of dynamic shared memory, but %zu are allowed",
                  config.dynamicSmemBytes, allowed);
  }
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t SetAttribute(const void* kernel,
                                                      cudaFuncAttribute attribute, int value) {
  const Turn turn;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, "cudaFuncSetAttribute");
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > kSharedBytesOptin) {
    return Report(cudaErrorInvalidValue, "no block has %d bytes of dynamic shared memory", value);
  }
  shared_limits[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}
#endif  // STENCILGEN_EMULATOR_COMPILED

/// `first` is the part of a pair of pointers that must be device memory.
inline cudaError_t CheckDeviceMemory(const void* first, std::size_t bytes, const char* call) {
  if (bytes == 0 || heap.Holds(first, bytes)) return cudaSuccess;
  return Report(cudaErrorInvalidValue, "%s: %zu bytes that are not device memory", call, bytes);
}

/// What a launch does when its turn comes, with its own copies of the arguments.
template <typename... Parameters>
auto KernelCall(const cudaLaunchConfig_t& config, void (*kernel)(Parameters...),
                Parameters... arguments) {
  return [kernel, grid = config.gridDim, block = config.blockDim,
          shared_bytes = config.dynamicSmemBytes, arguments...] {
    const auto body = [&] { kernel(arguments...); };
    using Body = decltype(body);
    return scheduler.RunGrid(
        grid, block, shared_bytes, [](const void* closure) { (*static_cast<Body*>(closure))(); },
        &body);
  };
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

// Launches.

template <typename... Parameters, typename... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                      void (*kernel)(Parameters...), Arguments&&... arguments) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorLaunchFailure, "cudaLaunchKernelEx");
  const cudaError_t problem = CheckLaunch(*config, reinterpret_cast<const void*>(kernel));
  if (problem != cudaSuccess) return problem;
  return Queue(config->stream, KernelCall(*config, kernel, static_cast<Parameters>(arguments)...));
}

template <typename T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return stencilgen::emulator::SetAttribute(reinterpret_cast<const void*>(kernel), attribute,
                                            value);
}

template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int threads,
                                                                 std::size_t shared_bytes) {
  using namespace stencilgen::emulator;
  const Turn turn;
  const char* name = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, name);
  static_cast<void>(kernel);
  *blocks = device_size.Blocks(threads, shared_bytes);
  return cudaSuccess;
}

// Memory.

inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  using namespace stencilgen::emulator;
  const Turn turn;
  *memory = nullptr;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorMemoryAllocation, "cudaMalloc");
  if (bytes == 0) return cudaSuccess;
  *memory = heap.Allocate(bytes);
  if (*memory != nullptr) return cudaSuccess;
  return Report(cudaErrorMemoryAllocation, "out of memory: %zu bytes are wanted, %zu of %zu used",
                bytes, heap.live_bytes(), heap.limit());
}
template <typename T>
inline cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(memory), bytes);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T** memory, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t result = cudaMalloc(reinterpret_cast<void**>(memory), bytes);
  CUgraph_st* graph = stencilgen::emulator::CaptureOf(stream);
  if (result == cudaSuccess && graph != nullptr) stencilgen::emulator::KeepFor(*graph, *memory);
  return result;
}
inline cudaError_t cudaFree(void* memory) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (memory == nullptr || heap.Free(memory)) return cudaSuccess;
  return Report(cudaErrorInvalidValue, "cudaFree of what is not allocated");
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  // What a capture allocates and frees is there as long as its graph.
  return stencilgen::emulator::CaptureOf(stream) != nullptr ? cudaSuccess : cudaFree(memory);
}
/// Pinned memory of the host, which kernels may use too.
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  using namespace stencilgen::emulator;
  const Turn turn;
  *memory = nullptr;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorMemoryAllocation, "cudaMallocHost");
  *memory = std::malloc(bytes);
  return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const stencilgen::emulator::Turn turn;
  *total = stencilgen::emulator::heap.limit();
  *free = *total - stencilgen::emulator::heap.live_bytes();
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes,
                              cudaMemcpyKind kind) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, "cudaMemcpy");
  cudaError_t problem = cudaSuccess;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) {
    problem = CheckDeviceMemory(target, bytes, "copy to the device");
  }
  if (problem == cudaSuccess &&
      (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)) {
    problem = CheckDeviceMemory(source, bytes, "copy from the device");
  }
  if (problem == cudaSuccess && bytes > 0) std::memmove(target, source, bytes);
  return problem;
}
inline cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return stencilgen::emulator::Queue(stream,
                                     [=] { return cudaMemcpy(target, source, bytes, kind); });
}
/// `height` rows of `width` bytes; pitches are the bytes from one to the next.
inline cudaError_t cudaMemcpy2D(void* target, std::size_t target_pitch, const void* source,
                                std::size_t source_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (target_pitch < width || source_pitch < width) {
    return Report(cudaErrorInvalidPitchValue, "cudaMemcpy2D: rows of %zu bytes overlap", width);
  }
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t result =
        cudaMemcpy(static_cast<char*>(target) + row * target_pitch,
                   static_cast<const char*>(source) + row * source_pitch, width, kind);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, const void* source,
                                     std::size_t source_pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr) {
  return stencilgen::emulator::Queue(stream, [=] {
    return cudaMemcpy2D(target, target_pitch, source, source_pitch, width, height, kind);
  });
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, "cudaMemset");
  const cudaError_t problem = CheckDeviceMemory(memory, bytes, "cudaMemset");
  if (problem == cudaSuccess && bytes > 0) std::memset(memory, value, bytes);
  return problem;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes,
                                   cudaStream_t stream = nullptr) {
  return stencilgen::emulator::Queue(stream, [=] { return cudaMemset(memory, value, bytes); });
}
/// `symbol` is a variable declared `__constant__` or `__device__`.
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(T& symbol, const void* source, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  using namespace stencilgen::emulator;
  const Turn turn;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, "cudaMemcpyToSymbol");
  if (offset > sizeof symbol || bytes > sizeof symbol - offset) {
    return Report(cudaErrorInvalidValue, "cudaMemcpyToSymbol: %zu bytes at %zu of a symbol of %zu",
                  bytes, offset, sizeof symbol);
  }
  if (kind == cudaMemcpyDeviceToDevice) {
    const cudaError_t problem = CheckDeviceMemory(source, bytes, "cudaMemcpyToSymbol");
    if (problem != cudaSuccess) return problem;
  }
  void* const start = const_cast<void*>(static_cast<const void*>(&symbol));
  std::memcpy(static_cast<char*>(start) + offset, source, bytes);
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* source, std::size_t bytes,
                                           std::size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
  return stencilgen::emulator::Queue(
      stream, [=, &symbol] { return cudaMemcpyToSymbol(symbol, source, bytes, offset, kind); });
}

// Streams and events: everything is done when its call returns.

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  using namespace stencilgen::emulator;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorMemoryAllocation, "cudaStreamCreate");
  *stream = new CUstream_st;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream);
#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream->capture;
  delete stream;
  return cudaSuccess;
}
#endif  // STENCILGEN_EMULATOR_COMPILED
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stencilgen::emulator::RefuseCapture(stream, "cudaStreamSynchronize");
}
/// What was launched is done.
inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return stencilgen::emulator::RefuseCapture(stream, "cudaStreamQuery");
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  event->capture = stencilgen::emulator::CaptureOf(stream);
  event->milliseconds = stencilgen::emulator::Milliseconds();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  using namespace stencilgen::emulator;
  CUgraph_st* graph = CaptureOf(stream);
  if (event->capture == graph) return cudaSuccess;
  if (graph != nullptr) graph->invalid = true;
  return Report(cudaErrorStreamCaptureIsolation,
                "a wait for an event that was recorded in another capture, or outside of it");
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (start->milliseconds < 0 || end->milliseconds < 0) {
    return stencilgen::emulator::Report(cudaErrorInvalidResourceHandle, "event never recorded");
  }
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return cudaSuccess;
}

// The device: an H200 in name and limits.

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (device == 0) return cudaSuccess;
  return stencilgen::emulator::Report(cudaErrorInvalidDevice, "there is only device 0");
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  using namespace stencilgen::emulator;
  if (cudaSetDevice(device) != cudaSuccess) return cudaErrorInvalidDevice;
  *properties = {"CUDA emulator",
                 heap.limit(),
                 kSharedBytes,
                 kSharedBytesOptin,
                 kSharedBytesOfMultiprocessor,
                 65536,
                 32,
                 1024,
                 kThreadsOfMultiprocessor,
                 device_size.multiprocessors(),
                 60 << 20,
                 9,
                 0};
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = properties.regsPerBlock;
      break;
    case cudaDevAttrMemoryPoolsSupported:
      *value = 1;
      break;
  }
  return cudaSuccess;
}

#endif  // STENCILGEN_EMULATOR_RUNTIME_API_HPP
