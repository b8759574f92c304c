#include "graph.h"

#include <memory>
#include <stdexcept>

#include <cuda_runtime.h>

namespace {

void Check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

}  // namespace

void Replay(int times, const std::function<void(CUstream_st*)>& queue) {
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreate(&stream));
  const std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)> end_stream(stream,
                                                                              cudaStreamDestroy);
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaGraph_t graph = nullptr;
  try {
    queue(stream);
  } catch (...) {
    // A stream must not stay in the middle of a capture.
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    throw;
  }
  Check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  const cudaError_t result = cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  Check(result);
  const std::unique_ptr<CUgraphExec_st, decltype(&cudaGraphExecDestroy)> end_exec(
      exec, cudaGraphExecDestroy);
  for (int k = 0; k < times; ++k) Check(cudaGraphLaunch(exec, stream));
  Check(cudaStreamSynchronize(stream));
}
