#ifndef STENCILGEN_EMULATOR_SCHEDULER_HPP
#define STENCILGEN_EMULATOR_SCHEDULER_HPP

#include <algorithm>
#include <set>

#include "counters.hpp"
#include "errors.hpp"
#include "fibers.hpp"
#include "language.hpp"
#include "memory.hpp"
#include "thread.hpp"
#include "thread_order.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// Runs grids: block by block, the threads of a block as fibers that switch where they wait and, in
/// random order, where they touch shared memory. The order of threads is drawn anew at each
/// barrier; in random order some warps then get as far as they can before the others move at all.
class Scheduler {
 public:
  using Body = void (*)(const void* closure);

  /// Calls `body` once a thread. Returns cudaSuccess, or why the grid was given up.
  cudaError_t RunGrid(dim3 grid, dim3 block, std::size_t shared_bytes, Body body,
                      const void* closure);

  bool InKernel() const { return current_ != nullptr; }
  Thread& current() { return *current_; }
  char* shared_memory() { return shared_.data(); }
  std::size_t shared_bytes() const { return shared_.size(); }

  /// Called by a thread: waits until all threads of the block are there.
  void WaitAtBarrier(int line);
  /// Called by a thread that is about to touch shared memory: others may go first.
  void MayYield() {
    if (__builtin_expect(yield_odds_ != 0, 0) && orderer.Happens(yield_odds_)) Yield();
  }
  /// From now on no thread waits at the barriers on this line; 0: all do again.
  void DropBarrier(int line) { dropped_line_ = line; }
  /// The lines with barriers that blocks passed.
  std::set<int>& barrier_lines() { return barrier_lines_; }
  /// Called by a thread: waits for the lanes of the mask, gives each the value of its source lane.
  std::uint64_t ExchangeInWarp(std::uint64_t mask, unsigned source_lane, std::uint64_t value,
                               int line);
  /// Called by a thread: gives up the whole grid.
  [[noreturn]] __attribute__((format(printf, 3, 4))) void Fault(cudaError_t error,
                                                                const char* format, ...);

  void CountGlobalLoad(const void* address, std::size_t bytes);
  void CountGlobalStore(const void* address, std::size_t bytes);

 private:
  static void WorkerMain();
  bool RunBlock();
  void StartBlock();
  void RunToBarrier(std::size_t count);
  void StartThreads(std::size_t count);
  bool ResumeReady(std::size_t count);
  bool ReleaseBarrier();
  void Describe(Thread::State state, char* text, std::size_t size) const;
  bool CompleteWarpOperation(Thread& last);
  void FlushSectors();
  void Abandon();
  void DrawOrder();
  void Yield();
  void MakeCurrent(Thread& thread) {
    current_ = &thread;
    yield_odds_ = thread.yield_odds;
    threadIdx = thread.index;
  }

  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  std::vector<bool> warps_ahead_;  ///< by warp
  std::size_t ahead_ = 0;          ///< how many of order_ are of warps that run ahead of the others
  std::size_t next_ = 0;           ///< in order_: the first thread that has not started
  std::size_t start_end_ = 0;      ///< in order_: where those end that may start now
  Thread* current_ = nullptr;
  Worker* worker_ = nullptr;      ///< running now
  unsigned char yield_odds_ = 0;  ///< of the current thread
  int dropped_line_ = 0;
  std::set<int> barrier_lines_;
  bool failed_ = false;
  std::size_t finished_ = 0;
  Body body_ = nullptr;
  const void* closure_ = nullptr;
  std::vector<char> shared_;
  std::vector<SectorTally> loads_, stores_;  ///< by warp
  WorkerPool workers_;
};
STENCILGEN_EMULATOR_VARIABLE Scheduler scheduler;

#if !defined(STENCILGEN_EMULATOR_COMPILED)
STENCILGEN_EMULATOR_FUNCTION void Scheduler::CountGlobalLoad(const void* address,
                                                             std::size_t bytes) {
  ++counters.global_loads;
  counters.global_load_bytes += bytes;
  if (current_ == nullptr) return;
  loads_[current_->warp].Add(current_->loads++, reinterpret_cast<std::uintptr_t>(address));
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::CountGlobalStore(const void* address,
                                                              std::size_t bytes) {
  ++counters.global_stores;
  counters.global_store_bytes += bytes;
  if (current_ == nullptr) return;
  stores_[current_->warp].Add(current_->stores++, reinterpret_cast<std::uintptr_t>(address));
}

STENCILGEN_EMULATOR_FUNCTION cudaError_t Scheduler::RunGrid(dim3 grid, dim3 block,
                                                            std::size_t shared_bytes, Body body,
                                                            const void* closure) {
  body_ = body;
  closure_ = closure;
  gridDim = grid;
  blockDim = block;
  shared_.resize(shared_bytes);
  const unsigned count = block.x * block.y * block.z;
  threads_.resize(count);
  loads_.resize((count + kWarpLanes - 1) / kWarpLanes);
  stores_.resize(loads_.size());
  std::vector<unsigned> blocks;
  orderer.Fill(blocks, static_cast<std::size_t>(grid.x) * grid.y * grid.z);
  bool good = true;
  for (std::size_t b = 0; good && b < blocks.size(); ++b) {
    blockIdx = {blocks[b] % grid.x, blocks[b] / grid.x % grid.y, blocks[b] / grid.x / grid.y};
    good = RunBlock();
  }
  current_ = nullptr;
  yield_odds_ = 0;
  ++counters.launches;
  return good ? cudaSuccess : error_state.last;
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::StartBlock() {
  unsigned number = 0;
  for (unsigned z = 0; z < blockDim.z; ++z) {
    for (unsigned y = 0; y < blockDim.y; ++y) {
      for (unsigned x = 0; x < blockDim.x; ++x, ++number) {
        threads_[number].Start(number, {x, y, z});
      }
    }
  }
  if (!shared_.empty()) std::memset(shared_.data(), kPoison, shared_.size());
  char* const start = __start_stencilgen_shared;
  if (start != nullptr) {
    std::memset(start, kPoison, static_cast<std::size_t>(__stop_stencilgen_shared - start));
  }
  finished_ = next_ = 0;
  failed_ = false;
  counters.threads += threads_.size();
}

STENCILGEN_EMULATOR_FUNCTION bool Scheduler::RunBlock() {
  StartBlock();
  DrawOrder();
  RunToBarrier(ahead_);
  RunToBarrier(order_.size());
  while (!failed_ && finished_ < threads_.size() && ReleaseBarrier()) {
    RunToBarrier(ahead_);
    RunToBarrier(order_.size());
  }
  FlushSectors();
  if (failed_) Abandon();
  return !failed_;
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::DrawOrder() {
  orderer.Fill(order_, threads_.size());
  for (Thread& thread : threads_) thread.yield_odds = orderer.DrawYieldOdds();
  orderer.DrawAhead(warps_ahead_, loads_.size());
  const auto begin = order_.begin();
  const auto middle = std::stable_partition(
      begin, order_.end(), [&](unsigned number) { return warps_ahead_[threads_[number].warp]; });
  ahead_ = static_cast<std::size_t>(middle - begin);
}

/// Runs the first `count` threads of the order until all of them wait at a barrier, for others, or
/// have ended.
STENCILGEN_EMULATOR_FUNCTION void Scheduler::RunToBarrier(std::size_t count) {
  StartThreads(count);
  while (!failed_ && ResumeReady(count)) {
  }
}

/// Runs those of the first `count` threads that have not started up to their first wait.
STENCILGEN_EMULATOR_FUNCTION void Scheduler::StartThreads(std::size_t count) {
  start_end_ = count;
  while (!failed_ && next_ < start_end_) {
    worker_ = workers_.Take(&Scheduler::WorkerMain);
    worker_->Resume();
    if (current_ == nullptr) workers_.GiveBack(worker_);
  }
}

/// What runs on each worker's stack: threads that have not started, while there are any.
STENCILGEN_EMULATOR_FUNCTION void Scheduler::WorkerMain() {
  Scheduler& self = scheduler;
  for (;;) {
    while (self.next_ < self.start_end_) {
      Thread& thread = self.threads_[self.order_[self.next_++]];
      self.MakeCurrent(thread);
      self.body_(self.closure_);
      thread.state = Thread::State::Finished;
      ++self.finished_;
    }
    self.current_ = nullptr;  // tells the scheduler that the worker is idle
    self.worker_->Yield();
  }
}

/// Resumes each of the first `count` threads that may go on. False where there is none.
STENCILGEN_EMULATOR_FUNCTION bool Scheduler::ResumeReady(std::size_t count) {
  bool any = false;
  for (std::size_t i = 0; i < count && !failed_; ++i) {
    Thread& thread = threads_[order_[i]];
    if (thread.state != Thread::State::Ready) continue;
    any = true;
    worker_ = thread.worker;
    MakeCurrent(thread);
    worker_->Resume();
    if (current_ == nullptr) workers_.GiveBack(worker_);
  }
  return any;
}

/// Lets the threads pass the barrier where all wait at it, else gives up the grid.
STENCILGEN_EMULATOR_FUNCTION bool Scheduler::ReleaseBarrier() {
  std::size_t waiting = 0;
  bool one_place = true;
  const Thread* first = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state != Thread::State::AtBarrier) continue;
    if (first == nullptr) first = &thread;
    one_place = one_place && thread.line == first->line;
    ++waiting;
  }
  if (waiting == threads_.size() && one_place) {
    FlushSectors();
    ++counters.barriers;
    barrier_lines_.insert(first->line);
    for (Thread& thread : threads_) thread.state = Thread::State::Ready;
    DrawOrder();
    next_ = order_.size();
    return true;
  }
  char barrier[96];
  char warp[96];
  Describe(Thread::State::AtBarrier, barrier, sizeof barrier);
  Describe(Thread::State::AtWarpOperation, warp, sizeof warp);
  Report(cudaErrorLaunchFailure,
         "%s in block (%u,%u,%u): of %zu threads %zu have ended, %zu wait at a barrier%s, %zu wait "
         "in a warp operation%s",
         waiting > 0 ? "barrier divergence" : "deadlock", blockIdx.x, blockIdx.y, blockIdx.z,
         threads_.size(), finished_, waiting, barrier, threads_.size() - finished_ - waiting, warp);
  failed_ = true;
  return false;
}

/// ` (line 12, line 15)`: where the threads of that state wait; empty where there are none.
STENCILGEN_EMULATOR_FUNCTION void Scheduler::Describe(Thread::State state, char* text,
                                                      std::size_t size) const {
  int lines[4];
  int count = 0;
  for (const Thread& thread : threads_) {
    if (thread.state != state || count == 4) continue;
    bool known = false;
    for (int k = 0; k < count; ++k) known = known || lines[k] == thread.line;
    if (!known) lines[count++] = thread.line;
  }
  text[0] = '\0';
  std::size_t used = 0;
  for (int k = 0; k < count && used < size; ++k) {
    used += static_cast<std::size_t>(
        std::snprintf(text + used, size - used, "%s%d", k == 0 ? " (line " : ", line ", lines[k]));
  }
  if (count > 0 && used < size) std::snprintf(text + used, size - used, ")");
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::FlushSectors() {
  for (SectorTally& tally : loads_) counters.global_load_sectors += tally.Flush();
  for (SectorTally& tally : stores_) counters.global_store_sectors += tally.Flush();
  for (Thread& thread : threads_) thread.loads = thread.stores = 0;
}

/// Forgets the stacks of threads that will never end.
STENCILGEN_EMULATOR_FUNCTION void Scheduler::Abandon() {
  for (Thread& thread : threads_) {
    if (thread.worker == nullptr || thread.state == Thread::State::Finished) continue;
    if (thread.worker == worker_) worker_ = nullptr;
    thread.worker->Reset(&Scheduler::WorkerMain);
    workers_.GiveBack(thread.worker);
  }
  // The one at fault may have been running threads straight through.
  if (worker_ != nullptr && current_ != nullptr) {
    worker_->Reset(&Scheduler::WorkerMain);
    workers_.GiveBack(worker_);
  }
  worker_ = nullptr;
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::Yield() {
  Thread& thread = *current_;
  thread.state = Thread::State::Ready;
  thread.worker = worker_;
  worker_->Yield();
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::WaitAtBarrier(int line) {
  if (line == dropped_line_) return;
  Thread& thread = *current_;
  thread.state = Thread::State::AtBarrier;
  thread.line = line;
  thread.worker = worker_;
  worker_->Yield();
}

STENCILGEN_EMULATOR_FUNCTION std::uint64_t Scheduler::ExchangeInWarp(std::uint64_t mask,
                                                                     unsigned source_lane,
                                                                     std::uint64_t value,
                                                                     int line) {
  Thread& thread = *current_;
  if ((mask >> thread.lane & 1U) == 0) {
    Fault(cudaErrorLaunchFailure,
          "lane %u is not in the mask 0x%08llx of its warp operation (line %d)", thread.lane,
          static_cast<unsigned long long>(mask), line);
  }
  thread.request = {mask, source_lane, value, 0};
  thread.line = line;
  thread.state = Thread::State::AtWarpOperation;
  if (!CompleteWarpOperation(thread)) {
    thread.worker = worker_;
    worker_->Yield();
  }
  return thread.request.result;
}

/// Where all lanes of the mask wait for the same operation: gives them their results and lets them
/// go on.
STENCILGEN_EMULATOR_FUNCTION bool Scheduler::CompleteWarpOperation(Thread& last) {
  const std::size_t first = static_cast<std::size_t>(last.warp) * kWarpLanes;
  const auto takes_part = [&](unsigned lane) {
    return (last.request.mask >> lane & 1U) != 0 && first + lane < threads_.size();
  };
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if (!takes_part(lane)) continue;
    const Thread& other = threads_[first + lane];
    if (other.state != Thread::State::AtWarpOperation || other.line != last.line ||
        other.request.mask != last.request.mask) {
      return false;
    }
  }
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if (!takes_part(lane)) continue;
    WarpRequest& request = threads_[first + lane].request;
    request.result = takes_part(request.source_lane)
                         ? threads_[first + request.source_lane].request.value
                         : ~std::uint64_t{0};
    threads_[first + lane].state = Thread::State::Ready;
  }
  return true;
}

STENCILGEN_EMULATOR_FUNCTION void Scheduler::Fault(cudaError_t error, const char* format, ...) {
  char reason[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  if (current_ == nullptr) {
    std::fprintf(stderr, "device memory used outside a kernel: %s\n", reason);
    std::abort();
  }
  Report(error, "%s in thread (%u,%u,%u) of block (%u,%u,%u)", reason, threadIdx.x, threadIdx.y,
         threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z);
  failed_ = true;
  worker_->Yield();
  std::abort();  // an abandoned stack is not resumed
}
#endif  // STENCILGEN_EMULATOR_COMPILED

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_SCHEDULER_HPP
