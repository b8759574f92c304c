#ifndef STENCILGEN_CUDA_HPP
#define STENCILGEN_CUDA_HPP

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#if defined(STENCILGEN_EMULATOR)
#include "stencilgen/emulator.hpp"
#define STENCILGEN_UNROLL
#define STENCILGEN_UNROLL_BY(count)
#else
#include <cuda_runtime.h>
/// Counts floating-point operations on the emulator.
#define STENCILGEN_FLOPS(count)
#define STENCILGEN_PRAGMA(text) _Pragma(#text)
#define STENCILGEN_UNROLL _Pragma("unroll")
#if defined(__HIP__)
// Clang leaves loops with barriers as they are, unless it knows how often they turn.
#define STENCILGEN_UNROLL_BY(count)
#else
#define STENCILGEN_UNROLL_BY(count) STENCILGEN_PRAGMA(unroll count)
#endif
#endif

#include "stencilgen/math.hpp"
#include "stencilgen/shape.hpp"
#include "stencilgen/status.hpp"

namespace stencilgen {

#if defined(STENCILGEN_EMULATOR)
template <typename T>
using GlobalInOut = Global<T>;
template <typename T>
using GlobalInOrder = Global<T>;
#else
/// An array that no other argument of the kernel overlaps.
template <typename T>
using Global = T* __restrict__;
/// An array that the kernel reads and writes.
template <typename T>
using GlobalInOut = T*;
/// An array that the kernel loads ahead of its use, or that it has beside such arrays: loads stay
/// where they are. Without stores that might reach it ptxas would take an array for constant, and
/// load each element as late as registers are to be saved, so that threads wait for it.
template <typename T>
using GlobalInOrder = T*;
#endif

/// The same value, of which the compiler knows nothing: what is computed from it is computed where
/// it stands, and not kept in registers from before.
template <typename T>
__device__ inline T Opaque(T value) {
#if defined(__HIP__)
  asm("" : "+v"(value));
#elif !defined(STENCILGEN_EMULATOR)
  if constexpr (sizeof(T) == 8) {
    asm("" : "+l"(value));
  } else {
    asm("" : "+r"(value));
  }
#endif
  return value;
}

/// The dynamic shared memory of a block that no kernel has to ask for.
inline constexpr std::size_t kUsualSharedBytes = std::size_t{48} << 10;

/// Lets blocks of the kernel have so much dynamic shared memory.
template <typename... Parameters>
cudaError_t AllowShared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
  if (shared_bytes <= kUsualSharedBytes) return cudaSuccess;
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(shared_bytes));
}

/// Starts a kernel; arguments are converted to its parameters.
template <typename... Parameters, typename... Arguments>
cudaError_t Launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                   cudaStream_t stream, Arguments... arguments) {
  const cudaError_t result = AllowShared(kernel, shared_bytes);
  if (result != cudaSuccess) return result;
#if defined(__HIP__)
  kernel<<<grid, block, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  return cudaGetLastError();
#else
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
#endif
}

/// True where coordinates in these ranges, and what kernels reach beyond them, fit 32 bits, and as
/// many of them as are added.
inline bool FitCoordinates(std::initializer_list<Range> ranges, int added = 1) {
  const long long most = (1LL << 30) / added;
  for (const Range& range : ranges) {
    if (range.lo < -most || range.hi > most) return false;
  }
  return true;
}

/// True where `int` holds the positions in arrays of these shapes, which have what kernels reach
/// beyond their arrays as well, the coordinates in these ranges, and sums of two of these.
inline bool FitInt(std::initializer_list<Range> ranges, std::initializer_list<Shape> shapes) {
  if (!FitCoordinates(ranges, 2)) return false;
  for (const Shape& shape : shapes) {
    for (const long long n : shape.extent) {
      if (n > (1LL << 29)) return false;
    }
    if (!shape.HasAtMost(2147483647)) return false;
  }
  return true;
}

/// Blocks along x, each of `points`; and along y or z, where kernels stride over the rest.
inline unsigned BlocksX(const Range& range, long long points) {
  return static_cast<unsigned>(std::min(CeilDiv(range.size(), points), 2147483647LL));
}
inline unsigned BlocksYZ(const Range& range, long long points) {
  return static_cast<unsigned>(std::min(CeilDiv(range.size(), points), 65535LL));
}

/// Points a thread walks along a stream: the chunk wished for (0: all), more where the grid would
/// not reach the end.
inline long long StreamChunk(const Range& range, long long chunk) {
  return chunk == 0 ? range.size() : std::max(chunk, CeilDiv(range.size(), 65535LL));
}

/// Records a failed CUDA call. Returns true where it did not fail.
inline bool Check(ErrorText& error, cudaError_t result, const char* what) {
  if (result == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return error.Fail(result == cudaErrorMemoryAllocation ? kOutOfMemory : kDeviceFailure, "%s: %s",
                    what, cudaGetErrorString(result));
}

/// A stream of one call. The end waits for what is under way.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_ == nullptr) return;
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  cudaError_t Create() { return cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

enum class Allocator { Device, StreamOrdered };

/// Device arrays of one call; freed with it, stream-ordered ones without waiting.
template <Allocator allocator, int capacity>
class DeviceMemory {
 public:
  DeviceMemory(cudaStream_t stream, ErrorText& error) : stream_(stream), error_(error) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    if (allocator == Allocator::Device && count_ > 0) {
      static_cast<void>(cudaStreamSynchronize(stream_));
    }
    for (int k = 0; k < count_; ++k) {
      static_cast<void>(allocator == Allocator::Device ? cudaFree(memory_[k])
                                                       : cudaFreeAsync(memory_[k], stream_));
    }
  }

  void* AllocateBytes(std::size_t bytes, const char* name) {
    void* memory = nullptr;
    const std::size_t size = bytes > 0 ? bytes : 1;
    const cudaError_t result = allocator == Allocator::Device
                                   ? cudaMalloc(&memory, size)
                                   : cudaMallocAsync(&memory, size, stream_);
    if (result != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      error_.Fail(result == cudaErrorMemoryAllocation ? kOutOfMemory : kDeviceFailure,
                  "allocating %zu bytes for array %s: %s", bytes, name, cudaGetErrorString(result));
      return nullptr;
    }
    memory_[count_++] = memory;
    return memory;
  }

  template <typename T>
  bool Allocate(T*& array, const char* name, const Shape& shape) {
    if (!shape.Fits(sizeof(T))) {
      return error_.Fail(kOutOfMemory, "array %s is too large for any memory", name);
    }
    array = static_cast<T*>(AllocateBytes(shape.Bytes(sizeof(T)), name));
    return array != nullptr;
  }

  /// Allocates and starts the copy from the host.
  template <typename T>
  bool Upload(T*& array, const std::remove_const_t<T>* host, const char* name, const Shape& shape) {
    std::remove_const_t<T>* memory = nullptr;
    if (!Allocate(memory, name, shape)) return false;
    array = memory;
    const std::size_t bytes = shape.Bytes(sizeof(T));
    return bytes == 0 ||
           Check(error_, cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, stream_),
                 "copying an array to the device");
  }

  /// Starts the copy back to the host.
  template <typename T>
  bool Download(T* host, const T* array, const Shape& shape) {
    const std::size_t bytes = shape.Bytes(sizeof(T));
    return bytes == 0 ||
           Check(error_, cudaMemcpyAsync(host, array, bytes, cudaMemcpyDeviceToHost, stream_),
                 "copying an array from the device");
  }

 private:
  cudaStream_t stream_;
  ErrorText& error_;
  void* memory_[capacity > 0 ? capacity : 1] = {};
  int count_ = 0;
};

/// target = source, all of it.
template <typename T>
cudaError_t CopyAll(T* target, const T* source, const Shape& shape, cudaStream_t stream) {
  const std::size_t bytes = shape.Bytes(sizeof(T));
  if (bytes == 0) return cudaSuccess;
  return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream);
}

/// One element on the host; waits for the stream.
template <typename T>
cudaError_t ReadElement(T* value, const T* element, cudaStream_t stream) {
  const cudaError_t result =
      cudaMemcpyAsync(value, element, sizeof(T), cudaMemcpyDeviceToHost, stream);
  return result != cudaSuccess ? result : cudaStreamSynchronize(stream);
}

template <typename T>
__global__ void CopySlabs(Global<T> target, Global<const T> source, const Outside outside,
                          const long long total, const long long extent_z, const long long extent_y,
                          const long long extent_x) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long n = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; n < total;
       n += stride) {
    long long rest = n;
    int s = 0;
    while (rest >= outside.slab[s].size()) rest -= outside.slab[s++].size();
    const Range* range = outside.slab[s].range;
    const long long x = range[3].lo + rest % range[3].size();
    rest /= range[3].size();
    const long long y = range[2].lo + rest % range[2].size();
    rest /= range[2].size();
    const long long z = range[1].lo + rest % range[1].size();
    const long long w = range[0].lo + rest / range[1].size();
    const long long at = ((w * extent_z + z) * extent_y + y) * extent_x + x;
    target[at] = source[at];
  }
}

/// target = source outside the box.
template <typename T>
cudaError_t CopyOutside(T* target, const T* source, const Shape& shape, const Box& box,
                        cudaStream_t stream) {
  const Outside outside(shape, box);
  long long total = 0;
  for (const Box& slab : outside.slab) total += slab.size();
  if (total == 0) return cudaSuccess;
  const dim3 grid(static_cast<unsigned>(std::min(CeilDiv(total, 256), 65535LL)));
  return Launch(CopySlabs<T>, grid, dim3(256), 0, stream, target, source, outside, total,
                shape.extent[1], shape.extent[2], shape.extent[3]);
}

}  // namespace stencilgen

#endif  // STENCILGEN_CUDA_HPP
