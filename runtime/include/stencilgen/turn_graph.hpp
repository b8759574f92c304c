#ifndef STENCILGEN_TURN_GRAPH_HPP
#define STENCILGEN_TURN_GRAPH_HPP

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

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
    static_cast<void>(cudaStreamSynchronize(last_));
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
    const cudaStream_t callers = stream;
    stream = own.get();
    const bool queued = queue();
    stream = callers;
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(own.get(), &graph);
    const bool made =
        queued && Check(error, ended, "capturing turns") &&
        Check(error, cudaGraphInstantiateWithFlags(&exec_, graph, 0), "making a graph of turns");
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    if (!made) static_cast<void>(cudaGetLastError());
    return made;
  }

  bool Launch(ErrorText& error, cudaStream_t stream) {
    last_ = stream;
    return Check(error, cudaGraphLaunch(exec_, stream), "launching a graph of turns");
  }

 private:
  cudaStream_t last_ = nullptr;  ///< that it was launched in
  cudaGraphExec_t exec_ = nullptr;
};

/// A graph of a loop's turns, kept for the next time that the loop comes to the same state: all
/// that its kernels are given but for the number of a turn. Short loops that come again and again
/// pay for it together.
template <typename State>
class KeptTurns {
 public:
  /// Says that the loop comes to `state` for turns that are alike, so many. True where they, with
  /// those before in the same state, pay for a graph.
  bool Pay(const State& state, long long alike, const TurnGraph& graph) {
    if (!(state == state_)) {
      captured_.reset();
      state_ = state;
      seen_ = 0;
    }
    seen_ = std::min(seen_ + alike, graph.least);
    return graph.turns > 0 && alike > graph.period && seen_ >= graph.least;
  }

  /// The graph of that state and so many turns, which `queue` puts into `stream` after the first
  /// one. Null where that fails.
  template <typename Queue>
  CapturedTurns* Find(ErrorText& error, cudaStream_t& stream, long long turns, const Queue& queue) {
    if (captured_ != nullptr && turns_ == turns) return captured_.get();
    captured_.reset(new (std::nothrow) CapturedTurns);
    turns_ = turns;
    if (captured_ == nullptr) {
      error.Fail(kOutOfMemory, "out of memory");
    } else if (!captured_->Capture(error, stream, queue)) {
      captured_.reset();
    }
    return captured_.get();
  }

 private:
  State state_ = {};
  long long seen_ = 0;
  long long turns_ = 0;
  std::unique_ptr<CapturedTurns> captured_;
};

/// A value as a part of a state.
template <typename T>
unsigned long long BitsOf(const T& value) {
  static_assert(sizeof(T) <= sizeof(unsigned long long), "no part of a state");
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// Runs `turn` with 0 to `count` - 1, of which the first `alike` queue the same but for which array
/// has which memory. Where a graph pays, the first turn is queued by itself, which loads what is
/// not loaded yet; then graphs of turns as long as there are enough, and the rest one by one.
/// Returns false where something failed, with `error` set.
template <typename State, typename Turn>
bool RepeatTurns(ErrorText& error, cudaStream_t& stream, long long count, long long alike,
                 const TurnGraph& graph, KeptTurns<State>& kept, const State& state,
                 const Turn& turn) {
  long long done = 0;
  if (kept.Pay(state, alike, graph) && !IsCaptured(stream)) {
    if (!turn(done++)) return false;
    const long long turns = std::min(graph.turns, (alike - done) / graph.period * graph.period);
    const auto queue = [&] {
      for (long long n = 0; n < turns; ++n) {
        if (!turn(done + n)) return false;
      }
      return true;
    };
    CapturedTurns* const captured = kept.Find(error, stream, turns, queue);
    if (captured == nullptr) return false;
    for (; alike - done >= turns; done += turns) {
      if (!captured->Launch(error, stream)) return false;
    }
  }
  for (; done < count; ++done) {
    if (!turn(done)) return false;
  }
  return true;
}

}  // namespace stencilgen

#endif  // STENCILGEN_TURN_GRAPH_HPP
