#include <algorithm>
#include <string>
#include <vector>

#include "emulator_kernels.h"
#include "stencilgen/turn_graph.hpp"
#include "support/catch.h"

// Turns of loops as graphs: what runs, in which order, and by how many launches.
namespace emulator_test {
namespace {

using stencilgen::ErrorText;
using stencilgen::KeptTurns;
using stencilgen::RepeatTurns;
using stencilgen::TurnGraph;

/// to = 3 from + number, so that the order of turns shows.
__global__ void Step(Global<long long> to, Global<const long long> from, const long long number) {
  to[0] = 3 * from[0] + number;
}

/// The addresses of a ring's arrays.
using State = std::array<unsigned long long, 5>;

/// A ring of arrays that a loop hands on, on a stream.
class Loop {
 public:
  explicit Loop(std::size_t arrays) {
    for (std::size_t n = 0; n < arrays; ++n) {
      memory_.push_back(new DeviceArray<long long>(std::vector<long long>{1}));
      ring_.push_back(memory_.back()->get());
    }
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    for (DeviceArray<long long>* array : memory_) delete array;
  }

  State Addresses() const {
    State state = {};
    for (std::size_t n = 0; n < ring_.size(); ++n) state[n] = stencilgen::BitsOf(ring_[n]);
    return state;
  }

  /// One turn: each array takes what the next one makes of its value.
  bool Turn(ErrorText& error, cudaStream_t stream, long long number) {
    const cudaError_t result =
        stencilgen::Launch(Step, dim3(1), dim3(1), 0, stream, ring_.back(), ring_.front(), number);
    if (!stencilgen::Check(error, result, "a step")) return false;
    std::rotate(ring_.begin(), ring_.begin() + 1, ring_.end());
    return true;
  }
  std::vector<long long> Values() const {
    std::vector<long long> values;
    for (long long* array : ring_) {
      long long value = 0;
      CHECK(cudaMemcpy(&value, array, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
      values.push_back(value);
    }
    return values;
  }

 private:
  std::vector<DeviceArray<long long>*> memory_;
  std::vector<long long*> ring_;
};

/// The number that a turn's kernel gets: another one where turns are no more alike.
long long NumberOf(long long turn, long long alike) {
  return turn < alike ? 1 : 2 + turn;
}

std::vector<long long> OneByOne(std::size_t arrays, long long count, long long alike) {
  Loop loop(arrays);
  ErrorText error;
  for (long long turn = 0; turn < count; ++turn) {
    CHECK(loop.Turn(error, nullptr, NumberOf(turn, alike)));
  }
  return loop.Values();
}

struct Launches {
  unsigned long long kernels = 0, graphs = 0;
};

Launches CheckTurns(std::size_t arrays, long long count, long long alike, const TurnGraph& graph,
                    cudaStream_t stream) {
  const std::vector<long long> expected = OneByOne(arrays, count, alike);
  Loop loop(arrays);
  ErrorText error;
  emulator::ResetCounters();
  cudaStream_t used = stream;
  const auto turn = [&](long long number) {
    return loop.Turn(error, used, NumberOf(number, alike));
  };
  KeptTurns<State> kept;
  CHECK(RepeatTurns(error, used, count, alike, graph, kept, loop.Addresses(), turn));
  CHECK(used == stream);
  CHECK(error.status() == 0);
  const Launches launches{emulator::counters.launches, emulator::counters.graph_launches};
  CHECK(loop.Values() == expected);
  return launches;
}

TEST_CASE("turns as graphs do what they do one by one") {
  const Session session;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  for (const long long period : {1, 2, 3, 5}) {
    for (const long long most : {period, 3 * period}) {
      for (const long long least : {period + 1, 4 * period + 2}) {
        for (long long count = 0; count <= 7 * period + 2; ++count) {
          for (const long long alike : {count, std::max(0LL, count - 1), count / 2}) {
            INFO("period " << period << ", at most " << most << " from " << least << ", " << alike
                           << " of " << count);
            const TurnGraph graph{period, most, least};
            const Launches launches = CheckTurns(static_cast<std::size_t>(period), count, alike,
                                                 graph, count % 2 == 0 ? stream : nullptr);
            CHECK(launches.kernels == static_cast<unsigned long long>(count));
            // After the first turn: as many whole graphs as are alike, of as many whole periods.
            const long long turns = std::min(most, (alike - 1) / period * period);
            const long long graphs = alike >= least ? (alike - 1) / turns : 0;
            CHECK(launches.graphs == static_cast<unsigned long long>(graphs));
          }
        }
      }
    }
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("short loops that come again pay for a graph together") {
  const Session session;
  Loop loop(2);
  ErrorText error;
  cudaStream_t stream = nullptr;
  KeptTurns<State> kept;
  const TurnGraph graph{2, 4, 25};
  long long all = 0;
  const auto turn = [&](long long) { return loop.Turn(error, stream, 1); };
  const auto repeat = [&](long long count) {
    emulator::ResetCounters();
    CHECK(RepeatTurns(error, stream, count, count, graph, kept, loop.Addresses(), turn));
    CHECK(emulator::counters.launches == static_cast<unsigned long long>(count));
    all += count;
    return emulator::counters.graph_launches;
  };
  // An even number of turns comes to the same state again: 10 and 10 turns do not pay yet.
  CHECK(repeat(10) == 0);
  CHECK(repeat(10) == 0);
  CHECK(repeat(10) == 2);
  CHECK(repeat(10) == 2);
  CHECK(repeat(20) == 4);
  CHECK(repeat(4) == 1);  // a smaller one is made
  CHECK(repeat(11) == 2);
  // Now the arrays have changed places.
  CHECK(repeat(10) == 0);
  CHECK(repeat(14) == 0);
  CHECK(repeat(10) == 2);
  CHECK(repeat(30) == 7);
  CHECK(loop.Values() == OneByOne(2, all, all));
}

TEST_CASE("a graph that is kept is made once") {
  const Session session;
  Loop loop(1);
  ErrorText error;
  cudaStream_t stream = nullptr;
  KeptTurns<State> kept;
  int queued = 0;
  const auto turn = [&](long long) {
    ++queued;
    return loop.Turn(error, stream, 1);
  };
  for (int run = 0; run < 5; ++run) {
    CHECK(RepeatTurns(error, stream, 9, 9, TurnGraph{1, 4, 2}, kept, loop.Addresses(), turn));
  }
  CHECK(queued == 5 * 1 + 4);
  CHECK(loop.Values() == OneByOne(1, 45, 45));
}

TEST_CASE("turns without a graph are launched one by one") {
  const Session session;
  const Launches launches = CheckTurns(2, 9, 9, TurnGraph{}, nullptr);
  CHECK(launches.kernels == 9);
  CHECK(launches.graphs == 0);
}

TEST_CASE("turns go into the graph that captures their stream") {
  const Session session;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  Loop loop(2);
  ErrorText error;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  const auto turn = [&](long long) { return loop.Turn(error, stream, 1); };
  KeptTurns<State> kept;
  CHECK(RepeatTurns(error, stream, 8, 8, TurnGraph{2, 4, 3}, kept, loop.Addresses(), turn));
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(emulator::counters.launches == 0);
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
  CHECK(emulator::counters.launches == 8);
  CHECK(emulator::counters.graph_launches == 1);
  CHECK(loop.Values() == OneByOne(2, 8, 8));
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("whatever fails of turns as graphs is said, and the stream is given back") {
  const Session session;
  int failures = 0;
  for (long long calls = 0; calls < 100; ++calls) {
    Loop loop(2);
    ErrorText error;
    cudaStream_t stream = nullptr;
    emulator::FailCall(calls);
    const auto turn = [&](long long) { return loop.Turn(error, stream, 1); };
    KeptTurns<State> kept;
    const bool done =
        RepeatTurns(error, stream, 14, 14, TurnGraph{2, 4, 3}, kept, loop.Addresses(), turn);
    emulator::FailCall(-1);
    CHECK(stream == nullptr);
    CHECK((error.status() == 0) == done);
    CHECK(std::string(error.text()).empty() == done);
    CHECK(cudaGetLastError() == cudaSuccess);
    if (done) break;
    ++failures;
  }
  // A launch, a stream, a capture of 4 launches, a graph, 3 launches of it, and one that is left.
  CHECK(failures >= 1 + 1 + 1 + 4 + 1 + 3 + 1);
  CHECK(failures < 100);
}

}  // namespace
}  // namespace emulator_test
