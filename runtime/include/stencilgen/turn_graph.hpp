#ifndef STENCILGEN_TURN_GRAPH_HPP
#define STENCILGEN_TURN_GRAPH_HPP

#include <algorithm>

#include "stencilgen/cuda.hpp"

/// Turns of a loop as a CUDA graph: short kernels start faster from one.
namespace stencilgen {

/// When the turns of a loop are launched as a graph.
struct TurnGraph {
  long long period = 1;  ///< turns after which every array has its own memory again
  long long turns = 0;   ///< of a graph, at most, and a multiple of the period; 0: no graph
  long long least = 0;   ///< turns of the loop that pay for a graph; more than a period
};

/// True also where nobody can tell: the work of a stream belongs to a graph of the application's.
inline bool IsCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t result = cudaStreamIsCapturing(stream, &status);
  if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
  return result != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

/// Work that was captured, to be launched any number of times. Its end waits for nothing: what is
/// under way is finished.
class CapturedTurns {
 public:
  CapturedTurns() = default;
  CapturedTurns(const CapturedTurns&) = delete;
  CapturedTurns& operator=(const CapturedTurns&) = delete;
  ~CapturedTurns() {
    if (exec_ == nullptr) return;
#if defined(__HIP__)
    static_cast<void>(cudaStreamSynchronize(stream_));
#endif
    static_cast<void>(cudaGraphExecDestroy(exec_));
  }

  /// Captures what `queue` puts into `stream`, which is another one meanwhile: the default stream
  /// cannot be captured. Nothing of it is done.
  template <typename Queue>
  bool Capture(ErrorText& error, cudaStream_t& stream, const Queue& queue) {
    Stream own;
    if (!Check(error, own.Create(), "creating a stream") ||
        !Check(error, cudaStreamBeginCapture(own.get(), cudaStreamCaptureModeRelaxed),
               "capturing turns")) {
      return false;
    }
    stream_ = stream;
    stream = own.get();
    const bool queued = queue();
    stream = stream_;
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(own.get(), &graph);
    const bool made =
        queued && Check(error, ended, "capturing turns") &&
        Check(error, cudaGraphInstantiateWithFlags(&exec_, graph, 0), "making a graph of turns");
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    if (!made) static_cast<void>(cudaGetLastError());
    return made;
  }

  bool Launch(ErrorText& error) {
    return Check(error, cudaGraphLaunch(exec_, stream_), "launching a graph of turns");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

/// Runs `turn` with 0 to `count` - 1, of which the first `alike` queue the same but for which array
/// has which memory. Where a graph pays, the first turn is queued by itself, which loads what is
/// not loaded yet; then graphs of turns as long as there are enough, and the rest one by one.
/// Returns false where something failed, with `error` set.
template <typename Turn>
bool RepeatTurns(ErrorText& error, cudaStream_t& stream, long long count, long long alike,
                 const TurnGraph& graph, const Turn& turn) {
  long long done = 0;
  if (graph.turns > 0 && alike >= graph.least && !IsCaptured(stream)) {
    if (!turn(done++)) return false;
    const long long turns = std::min(graph.turns, (alike - done) / graph.period * graph.period);
    CapturedTurns captured;
    const auto queue = [&] {
      for (long long n = 0; n < turns; ++n) {
        if (!turn(done + n)) return false;
      }
      return true;
    };
    if (!captured.Capture(error, stream, queue)) return false;
    for (; alike - done >= turns; done += turns) {
      if (!captured.Launch(error)) return false;
    }
  }
  for (; done < count; ++done) {
    if (!turn(done)) return false;
  }
  return true;
}

}  // namespace stencilgen

#endif  // STENCILGEN_TURN_GRAPH_HPP
