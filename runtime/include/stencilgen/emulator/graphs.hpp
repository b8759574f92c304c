#ifndef STENCILGEN_EMULATOR_GRAPHS_HPP
#define STENCILGEN_EMULATOR_GRAPHS_HPP

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "counters.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "runtime_types.hpp"

/// What a stream queued while it was captured, in order. Memory allocated meanwhile is the graph's.
struct CUgraph_st {
  struct Memory {
    std::vector<void*> blocks;
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
      const stencilgen::emulator::Turn turn;
      for (void* block : blocks) stencilgen::emulator::heap.Free(block);
    }
  };
  std::vector<std::function<cudaError_t()>> work;
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();
  bool invalid = false;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// The graph that takes the stream's work; null where it is done at once.
inline CUgraph_st* CaptureOf(cudaStream_t stream) {
  const bool is_named =
      stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  return is_named ? stream->capture : nullptr;
}

/// Does the work, or keeps it for the launches of the graph that captures the stream.
cudaError_t Queue(cudaStream_t stream, std::function<cudaError_t()> work);
/// Leaves device memory to the graph, which frees it at its end.
void KeepFor(CUgraph_st& graph, void* memory);

/// Fails, and spoils the capture, where the stream is captured.
inline cudaError_t RefuseCapture(cudaStream_t stream, const char* call) {
  CUgraph_st* graph = CaptureOf(stream);
  if (graph == nullptr) return cudaSuccess;
  graph->invalid = true;
  return Report(cudaErrorStreamCaptureUnsupported, "%s of a stream that is captured", call);
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const CUgraph_st* graph = stencilgen::emulator::CaptureOf(stream);
  *status = graph == nullptr ? cudaStreamCaptureStatusNone
            : graph->invalid ? cudaStreamCaptureStatusInvalidated
                             : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                 unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

#if !defined(STENCILGEN_EMULATOR_COMPILED)

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

STENCILGEN_EMULATOR_FUNCTION cudaError_t Queue(cudaStream_t stream,
                                               std::function<cudaError_t()> work) {
  const Turn turn;
  CUgraph_st* graph = CaptureOf(stream);
  if (graph == nullptr) return work();
  graph->work.push_back(std::move(work));
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION void KeepFor(CUgraph_st& graph, void* memory) {
  graph.memory->blocks.push_back(memory);
}

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                                                cudaStreamCaptureMode) {
  using namespace stencilgen::emulator;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorInvalidValue, "cudaStreamBeginCapture");
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return Report(cudaErrorStreamCaptureUnsupported, "the default stream cannot be captured");
  }
  if (stream->capture != nullptr) {
    return Report(cudaErrorIllegalState, "the stream is captured already");
  }
  stream->capture = new CUgraph_st;
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaStreamEndCapture(cudaStream_t stream,
                                                              cudaGraph_t* graph) {
  using namespace stencilgen::emulator;
  *graph = nullptr;
  CUgraph_st* captured = CaptureOf(stream);
  if (captured == nullptr) return Report(cudaErrorIllegalState, "the stream is not captured");
  stream->capture = nullptr;
  if (captured->invalid) {
    delete captured;
    return Report(cudaErrorStreamCaptureInvalidated, "a call in between cannot be captured");
  }
  *graph = captured;
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec,
                                                              cudaGraph_t graph,
                                                              unsigned long long) {
  using namespace stencilgen::emulator;
  *exec = nullptr;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorMemoryAllocation, "cudaGraphInstantiate");
  *exec = new CUgraphExec_st{*graph};
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaGraphLaunch(cudaGraphExec_t exec,
                                                         cudaStream_t stream) {
  using namespace stencilgen::emulator;
  if (FailsOnPurpose()) return FailOnPurpose(cudaErrorLaunchFailure, "cudaGraphLaunch");
  return Queue(stream, [graph = exec->graph] {
    ++counters.graph_launches;
    for (const auto& work : graph.work) {
      const cudaError_t result = work();
      if (result != cudaSuccess) return result;
    }
    return cudaSuccess;
  });
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
STENCILGEN_EMULATOR_FUNCTION cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}

#endif  // STENCILGEN_EMULATOR_COMPILED

#endif  // STENCILGEN_EMULATOR_GRAPHS_HPP
