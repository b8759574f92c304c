#ifndef STENCILGEN_RUN_ORDER_HPP
#define STENCILGEN_RUN_ORDER_HPP

#include <mutex>
#include <vector>

#include "stencilgen/cuda.hpp"

namespace stencilgen {

/// Puts runs that share something on the device, such as constant memory that each fills anew, one
/// after another, whatever host threads and streams they come from. The device waits, not the host.
/// Runs that are captured into a graph are not known here: whoever launches the graph orders it.
class RunOrder {
 public:
  RunOrder() = default;
  RunOrder(const RunOrder&) = delete;
  RunOrder& operator=(const RunOrder&) = delete;
  ~RunOrder() {
    // At the end of the process CUDA may be gone already: then it says so.
    for (cudaEvent_t event : last_) {
      if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
    }
  }

  /// One run's part: from Begin on the run has what is shared for itself, up to what it has queued
  /// when the Turn ends.
  class Turn {
   public:
    Turn(RunOrder& order, cudaStream_t stream)
        : order_(order), lock_(order.mutex_), stream_(stream) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (last_ == nullptr || cudaEventRecord(*last_, stream_) == cudaSuccess) return;
      static_cast<void>(cudaGetLastError());
      static_cast<void>(cudaStreamSynchronize(stream_));
    }

    cudaError_t Begin() {
      cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
      int device = 0;
      cudaError_t result = cudaStreamIsCapturing(stream_, &capture);
      if (result != cudaSuccess || capture != cudaStreamCaptureStatusNone) return result;
      result = cudaGetDevice(&device);
      if (result != cudaSuccess) return result;
      const auto index = static_cast<std::size_t>(device);
      if (order_.last_.size() <= index) order_.last_.resize(index + 1, nullptr);
      cudaEvent_t& last = order_.last_[index];
      result = last == nullptr ? cudaEventCreateWithFlags(&last, cudaEventDisableTiming)
                               : cudaStreamWaitEvent(stream_, last, 0);
      if (result == cudaSuccess) last_ = &last;
      return result;
    }

   private:
    RunOrder& order_;
    std::lock_guard<std::mutex> lock_;
    cudaStream_t stream_;
    cudaEvent_t* last_ = nullptr;
  };

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> last_;  ///< by device: the end of the last run
};

}  // namespace stencilgen

#endif  // STENCILGEN_RUN_ORDER_HPP
