#include <vector>

#include "emulator_kernels.h"
#include "support/catch.h"

// What is queued on a captured stream is done when the graph is launched, and each time.
namespace emulator_test {
namespace {

__global__ void Double(Global<double> values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] = 2 * values[i];
}

cudaError_t LaunchDouble(double* values, int count, cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, Double, Global<double>(values), count);
}

struct CapturedStream {
  cudaStream_t stream = nullptr;
  CapturedStream() {
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  }
  CapturedStream(const CapturedStream&) = delete;
  CapturedStream& operator=(const CapturedStream&) = delete;
  ~CapturedStream() { static_cast<void>(cudaStreamDestroy(stream)); }
};

TEST_CASE("a captured stream works when its graph is launched") {
  const Session session;
  const std::size_t before = emulator::LiveBytes();
  {
    DeviceArray<double> values(std::vector<double>{1, 2, 3});
    CapturedStream captured;
    double* copy = nullptr;
    CHECK(cudaMallocAsync(&copy, 3 * sizeof(double), captured.stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(copy, values.get(), 3 * sizeof(double), cudaMemcpyDeviceToDevice,
                          captured.stream) == cudaSuccess);
    CHECK(LaunchDouble(copy, 3, captured.stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(values.get(), copy, 2 * sizeof(double), cudaMemcpyDeviceToDevice,
                          captured.stream) == cudaSuccess);
    CHECK(cudaFreeAsync(copy, captured.stream) == cudaSuccess);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CHECK(cudaStreamIsCapturing(captured.stream, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(captured.stream, &graph) == cudaSuccess);
    CHECK(values.Values() == std::vector<double>{1, 2, 3});
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, captured.stream) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, captured.stream) == cudaSuccess);
    CHECK(values.Values() == std::vector<double>{4, 8, 3});
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  }
  CHECK(emulator::LiveBytes() == before);
}

TEST_CASE("what no capture can hold is refused") {
  const Session session;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
        cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  {
    CapturedStream captured;
    CHECK(cudaStreamBeginCapture(captured.stream, cudaStreamCaptureModeGlobal) ==
          cudaErrorIllegalState);
    CHECK(cudaStreamSynchronize(captured.stream) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(captured.stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    CHECK(cudaStreamEndCapture(captured.stream, &graph) == cudaErrorIllegalState);
  }
  {
    CapturedStream captured;
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    CHECK(cudaEventRecord(event, captured.stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(captured.stream, event) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(nullptr, event) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaEventRecord(event, nullptr) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(captured.stream, event) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaStreamEndCapture(captured.stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
  }
}

TEST_CASE("copies of rows keep to their pitch") {
  const Session session;
  DeviceArray<double> values(std::vector<double>(8, 0.0));
  const std::vector<double> host = {1, 2, -1, 3, 4, -1};
  CHECK(cudaMemcpy2D(values.get(), 4 * sizeof(double), host.data(), 3 * sizeof(double),
                     2 * sizeof(double), 2, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(values.Values() == std::vector<double>{1, 2, 0, 0, 3, 4, 0, 0});
  CHECK(cudaMemcpy2D(values.get(), sizeof(double), host.data(), 3 * sizeof(double),
                     2 * sizeof(double), 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2D(values.get() + 4, 4 * sizeof(double), host.data(), 3 * sizeof(double),
                     2 * sizeof(double), 2, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
}

}  // namespace
}  // namespace emulator_test
