#ifndef STENCILGEN_RESIDENT_CUDA_HPP
#define STENCILGEN_RESIDENT_CUDA_HPP

#include <memory>
#include <new>

#include "stencilgen/cuda.hpp"
#include "stencilgen/resident.hpp"

namespace stencilgen {

/// Makes a device the current one of the host thread for a while.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess || before_ == device) return;
    changed_ = cudaSetDevice(device) == cudaSuccess;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// The arrays of a program, inputs and outputs first, then scratch, kept on the device that is the
/// current one when they are made.
template <int array_count>
class DeviceArrays {
 public:
  DeviceArrays() = default;
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;
  ~DeviceArrays() {
    const OnDevice here(device_);
    if (stream_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
    for (ResidentArray& array : arrays_) {
      if (array.owned != nullptr) static_cast<void>(cudaFree(array.owned));
    }
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }

  int device() const { return device_; }

  /// Makes the stream of what the application gives no stream for. It waits for the application's
  /// work on the default stream, as that does for it.
  bool Open(ErrorText& error) {
    return Check(error, cudaGetDevice(&device_), "finding the device") &&
           Check(error, cudaStreamCreateWithFlags(&stream_, cudaStreamDefault),
                 "creating a stream");
  }

  /// Adds the next array, without contents.
  template <typename T>
  bool Add(ErrorText& error, const char* name, int rank, const Shape& shape, bool is_input) {
    ResidentArray& array = arrays_[count_];
    if (!SetUp<T>(error, array, name, rank, shape, is_input)) return false;
    const std::size_t bytes = array.bytes();
    const cudaError_t result = cudaMalloc(&array.owned, bytes > 0 ? bytes : 1);
    if (result != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return error.Fail(result == cudaErrorMemoryAllocation ? kOutOfMemory : kDeviceFailure,
                        "allocating %zu bytes for array %s: %s", bytes, name,
                        cudaGetErrorString(result));
    }
    array.memory = array.owned;
    ++count_;
    return true;
  }

  template <typename T>
  T* Get(int number) {
    return static_cast<T*>(arrays_[number].memory);
  }
  void Forget(int number) { arrays_[number].is_defined = false; }
  void Define(int number) { arrays_[number].is_defined = true; }

  /// The stream to use where the application names `stream`, its own if that is null.
  cudaStream_t StreamOf(cudaStream_t stream) const { return stream != nullptr ? stream : stream_; }

  /// From host or device memory. Without a stream it waits until the copy is done.
  bool Upload(ErrorText& error, ResidentArray* array, const void* from, const long long* strides,
              cudaStream_t stream) {
    if (!CanCopy(error, array, from, strides)) return false;
    if (!Copy(error, *array, array->memory, Layout(array->shape), from, Layout(*array, strides),
              stream)) {
      return false;
    }
    array->is_defined = true;
    return true;
  }
  /// To host or device memory. Without a stream it waits until the copy is done.
  bool Download(ErrorText& error, ResidentArray* array, void* to, const long long* strides,
                cudaStream_t stream) {
    return CanCopy(error, array, to, strides) && Copy(error, *array, to, Layout(*array, strides),
                                                      array->memory, Layout(array->shape), stream);
  }
  /// Waits for the own stream.
  bool Wait(ErrorText& error) {
    return Check(error, cudaStreamSynchronize(stream_), "running the program");
  }

  ResidentArray* arrays() { return arrays_; }

 private:
  static bool CanCopy(ErrorText& error, const ResidentArray* array, const void* memory,
                      const long long* strides) {
    if (array == nullptr) return false;
    if (memory == nullptr) {
      return error.Fail(kBadArgument, "array %s is a null pointer", array->name);
    }
    return Layout(*array, strides).Check(error, *array);
  }

  bool Copy(ErrorText& error, const ResidentArray& array, void* to, const Layout& target,
            const void* from, const Layout& source, cudaStream_t stream) {
    const bool waits = stream == nullptr;
    return Check(error, Start(array, to, target, from, source, StreamOf(stream)),
                 "copying an array") &&
           (!waits || Check(error, cudaStreamSynchronize(stream_), "copying an array"));
  }

  /// In as few copies as CUDA's two-dimensional ones allow: a plane each, or a row each where the
  /// elements of a row lie apart or rows overlap each other.
  static cudaError_t Start(const ResidentArray& array, void* to, const Layout& target,
                           const void* from, const Layout& source, cudaStream_t stream) {
    const std::size_t size = array.element_size;
    const long long* n = array.shape.extent;
    const std::size_t bytes = array.bytes();
    if (bytes == 0 || to == from) return cudaSuccess;
    if (target.IsDense(array.shape) && source.IsDense(array.shape)) {
      return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    }
    const auto in_bytes = [&](long long elements) {
      return static_cast<std::size_t>(elements) * size;
    };
    const auto is_rows = [&](const Layout& layout) {
      return (layout.stride[3] == 1 || n[3] == 1) && (layout.stride[2] >= n[3] || n[2] == 1);
    };
    const auto pitch = [&](const Layout& layout) {
      return in_bytes(layout.stride[2] > n[3] ? layout.stride[2] : n[3]);
    };
    const bool by_planes = is_rows(target) && is_rows(source);
    const auto start = [&](const Layout& layout, long long plane, long long y) {
      return plane / n[1] * layout.stride[0] + plane % n[1] * layout.stride[1] +
             y * layout.stride[2];
    };
    for (long long plane = 0; plane < n[0] * n[1]; ++plane) {
      for (long long y = 0; y < (by_planes ? 1 : n[2]); ++y) {
        char* t = static_cast<char*>(to) + in_bytes(start(target, plane, y));
        const char* s = static_cast<const char*>(from) + in_bytes(start(source, plane, y));
        const cudaError_t result =
            by_planes
                ? cudaMemcpy2DAsync(t, pitch(target), s, pitch(source), in_bytes(n[3]),
                                    static_cast<std::size_t>(n[2]), cudaMemcpyDefault, stream)
                : cudaMemcpy2DAsync(t, in_bytes(std::max(target.stride[3], 1LL)), s,
                                    in_bytes(std::max(source.stride[3], 1LL)), size,
                                    static_cast<std::size_t>(n[3]), cudaMemcpyDefault, stream);
        if (result != cudaSuccess) return result;
      }
    }
    return cudaSuccess;
  }

  ResidentArray arrays_[array_count > 0 ? array_count : 1];
  int count_ = 0;
  int device_ = 0;
  cudaStream_t stream_ = nullptr;
};

}  // namespace stencilgen

#endif  // STENCILGEN_RESIDENT_CUDA_HPP
