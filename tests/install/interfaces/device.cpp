// What only CUDA has: streams, device pointers, graphs; and that nothing is lost when it fails.
#include <cuda_runtime.h>

#include "check.h"
#ifdef STENCILGEN_EMULATOR
#include <stencilgen/emulator.hpp>
#endif

namespace {

constexpr int kRows = 30, kColumns = 35, kSteps = 2;

std::vector<float> Expected(const std::vector<float>& in, const std::vector<float>& w) {
  std::vector<float> out(in.size());
  CHECK(convolution(in.data(), out.data(), w.data(), kRows, kColumns, kSteps) == 0);
  return out;
}

/// Two objects on two streams, with device memory of the application's in a pitch of its own.
void TestStreams() {
  const auto in = Numbers<float>(kRows * kColumns, 11);
  const auto w1 = Numbers<float>(9, 12), w2 = Numbers<float>(9, 13);
  cudaStream_t streams[2] = {};
  CHECK(cudaStreamCreate(&streams[0]) == cudaSuccess);
  CHECK(cudaStreamCreate(&streams[1]) == cudaSuccess);
  const std::size_t pitch = 64 * sizeof(float);
  float* pitched = nullptr;
  CHECK(cudaMalloc(&pitched, pitch * kRows) == cudaSuccess);
  convolution_Program first{kRows, kColumns, kSteps};
  convolution_Program second{kRows, kColumns, kSteps};
  first.upload_in(in, streams[0]);
  second.upload_in(in, streams[1]);
  first.upload_w(w1, streams[0]);
  second.upload_w(w2, streams[1]);
  for (int k = 0; k < 5; ++k) {
    first.run(streams[0]);
    second.run(streams[1]);
  }
  std::vector<float> out1(in.size()), out2(in.size());
  first.download_out(stencilgen::View<float>(pitched, {64, 1}), streams[0]);
  second.download_out(out2, streams[1]);
  CHECK(cudaMemcpy2DAsync(out1.data(), kColumns * sizeof(float), pitched, pitch,
                          kColumns * sizeof(float), kRows, cudaMemcpyDeviceToHost,
                          streams[0]) == cudaSuccess);
  CHECK(cudaStreamSynchronize(streams[0]) == cudaSuccess);
  CHECK(cudaStreamSynchronize(streams[1]) == cudaSuccess);
  CHECK(out1 == Expected(in, w1));
  CHECK(out2 == Expected(in, w2));
  // The device function, on the memory that the objects hold.
  CHECK(convolution_device(first.device_in(), second.device_out(), first.device_w(), kRows,
                           kColumns, kSteps, streams[0]) == 0);
  CHECK(cudaStreamSynchronize(streams[0]) == cudaSuccess);
  second.download_out(out2);
  CHECK(out2 == Expected(in, w1));
  CHECK(cudaFree(pitched) == cudaSuccess);
  CHECK(cudaStreamDestroy(streams[0]) == cudaSuccess);
  CHECK(cudaStreamDestroy(streams[1]) == cudaSuccess);
}

/// A run captured once and launched three times, with constant memory.
void TestGraph() {
  const auto start = Numbers<double>(8 * 9 * 10, 14);
  std::vector<double> expected = start;
  for (int k = 0; k < 3; ++k) CHECK(heat3d(expected.data(), 0.1, 8, 9, 10, 1) == 0);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const auto capture = [&](auto& program) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    program.run(stream);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    for (int k = 0; k < 3; ++k) CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  };
  heat3d_Program heat{8, 9, 10, 1};
  heat.set_alpha(0.1);
  heat.upload_u(start);
  capture(heat);
  std::vector<double> u(start.size());
  heat.download_u(u);
  CHECK(u == expected);

  const auto in = Numbers<float>(kRows * kColumns, 15);
  const auto w = Numbers<float>(9, 16);
  convolution_Program convolve{kRows, kColumns, kSteps};
  convolve.upload_in(in);
  convolve.upload_w(w);
  // A run before it, whose end the captured one must not wait for.
  convolve.run();
  convolve.wait();
  capture(convolve);
  std::vector<float> out(in.size());
  convolve.download_out(out);
  CHECK(out == Expected(in, w));
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

#ifdef STENCILGEN_EMULATOR
/// Each call of the CUDA runtime fails once; the object reports it and frees what it has.
void TestFailures() {
  const auto start = Numbers<double>(4 * 5 * 6, 17);
  const std::size_t before = stencilgen::emulator::LiveBytes();
  int failed = 0;
  for (int call = 0; call < 100; ++call) {
    stencilgen::emulator::FailCall(call);
    const std::string message = Message([&] {
      heat3d_Program program{4, 5, 6, 3};
      program.set_alpha(0.1);
      program.upload_u(start);
      program.run();
      std::vector<double> u(start.size());
      program.download_u(u);
    });
    stencilgen::emulator::FailCall(-1);
    CHECK(stencilgen::emulator::LiveBytes() == before);
    if (message.empty()) break;
    ++failed;
  }
  CHECK(failed >= 6);
  CHECK(failed < 100);
}
#endif

}  // namespace

void TestDevice() {
  TestStreams();
  TestGraph();
#ifdef STENCILGEN_EMULATOR
  TestFailures();
#endif
}
