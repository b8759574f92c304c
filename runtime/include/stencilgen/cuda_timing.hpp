#ifndef STENCILGEN_CUDA_TIMING_HPP
#define STENCILGEN_CUDA_TIMING_HPP

#include "stencilgen/cuda.hpp"

namespace stencilgen {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  cudaError_t Create() { return cudaEventCreate(&event_); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Milliseconds of each repeat of `body` on the stream, between two events. `body` returns a
/// status; the first nonzero one ends it.
template <typename Body>
int TimeOnStream(cudaStream_t stream, ErrorText& error, int warmups, int repeats,
                 double* milliseconds, Body body) {
  Event start;
  Event stop;
  if (!Check(error, start.Create(), "timing") || !Check(error, stop.Create(), "timing")) {
    return error.status();
  }
  for (int k = 0; k < warmups; ++k) {
    if (const int status = body()) return status;
  }
  for (int k = 0; k < repeats; ++k) {
    if (!Check(error, cudaEventRecord(start.get(), stream), "timing")) return error.status();
    if (const int status = body()) return status;
    float elapsed = 0;
    if (!Check(error, cudaEventRecord(stop.get(), stream), "timing") ||
        !Check(error, cudaEventSynchronize(stop.get()), "timing") ||
        !Check(error, cudaEventElapsedTime(&elapsed, start.get(), stop.get()), "timing")) {
      return error.status();
    }
    milliseconds[k] = static_cast<double>(elapsed);
  }
  return kSuccess;
}

}  // namespace stencilgen

#endif  // STENCILGEN_CUDA_TIMING_HPP
