#ifndef STENCILGEN_EMULATOR_ERRORS_HPP
#define STENCILGEN_EMULATOR_ERRORS_HPP

#include <cstdarg>
#include <cstdio>

#include "language.hpp"
#include "turn.hpp"

/// CUDA's codes, with its values.
enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalState = 401,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorUnknown = 999
};
using cudaError_t = cudaError;

inline const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidPitchValue:
      return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidSymbol:
      return "cudaErrorInvalidSymbol";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorIllegalState:
      return "cudaErrorIllegalState";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureIsolation:
      return "cudaErrorStreamCaptureIsolation";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorUnknown:
      break;
  }
  return "cudaErrorUnknown";
}

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// What went wrong in the calls of a host thread.
struct ErrorState {
  cudaError_t last = cudaSuccess;       ///< what cudaGetLastError gives
  cudaError_t described = cudaSuccess;  ///< what the message is about
  char message[512] = "";
};
inline thread_local ErrorState error_state;

inline long long calls_until_failure = -1;  ///< for tests of error paths; -1 for never

/// Why the last failing call failed, in words.
inline const char* LastMessage() {
  return error_state.message;
}

/// Records a failure and its reason. Returns the code.
__attribute__((format(printf, 2, 3))) cudaError_t Report(cudaError_t error, const char* format,
                                                         ...);
#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION cudaError_t Report(cudaError_t error, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error_state.message, sizeof error_state.message, format, arguments);
  va_end(arguments);
  error_state.last = error_state.described = error;
  return error;
}
#endif  // STENCILGEN_EMULATOR_COMPILED

/// Called first by every runtime function that may fail: true where this one is to.
inline bool FailsOnPurpose() {
  const Turn turn;
  if (calls_until_failure < 0) return false;
  return calls_until_failure-- == 0;
}
inline cudaError_t FailOnPurpose(cudaError_t error, const char* call) {
  return Report(error, "%s fails as asked by FailCall", call);
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

inline const char* cudaGetErrorString(cudaError_t error) {
  using stencilgen::emulator::error_state;
  if (error == cudaSuccess) return "no error";
  return error == error_state.described ? error_state.message : cudaGetErrorName(error);
}
inline cudaError_t cudaPeekAtLastError() {
  return stencilgen::emulator::error_state.last;
}
inline cudaError_t cudaGetLastError() {
  const cudaError_t error = stencilgen::emulator::error_state.last;
  stencilgen::emulator::error_state.last = cudaSuccess;
  return error;
}

#endif  // STENCILGEN_EMULATOR_ERRORS_HPP
