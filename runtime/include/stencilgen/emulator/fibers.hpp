#ifndef STENCILGEN_EMULATOR_FIBERS_HPP
#define STENCILGEN_EMULATOR_FIBERS_HPP

#include <cstddef>
#include <cstdlib>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#include "language.hpp"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                               std::size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                std::size_t* size);
extern "C" void __asan_unpoison_memory_region(const volatile void* start, std::size_t size);
#endif

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// A stack on which kernel threads run until one waits; then it is that thread's own until it
/// ends. Switching goes to and from the scheduler's stack only.
class Worker {
 public:
  using Entry = void (*)();

  Worker() {
    void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    mprotect(memory, kGuardBytes, PROT_NONE);
    memory_ = static_cast<char*>(memory);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { munmap(memory_, kStackBytes + kGuardBytes); }

  /// Forgets what runs on the stack: the next Resume calls `entry`.
  void Reset(Entry entry) {
    entry_ = entry;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(memory_ + kGuardBytes, kStackBytes);
#endif
    context_ = boost::context::detail::make_fcontext(memory_ + kGuardBytes + kStackBytes,
                                                     kStackBytes, &Worker::Start);
  }
  /// From the scheduler: runs the worker until it yields.
  void Resume() {
    StartSwitch(&scheduler_fake_stack, memory_ + kGuardBytes, kStackBytes);
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
    FinishSwitch(scheduler_fake_stack, nullptr, nullptr);
  }
  /// From the worker: back to the scheduler, until the next Resume.
  void Yield() {
    void* fake_stack = nullptr;
    StartSwitch(&fake_stack, scheduler_bottom, scheduler_size);
    scheduler = boost::context::detail::jump_fcontext(scheduler, nullptr).fctx;
    FinishSwitch(fake_stack, &scheduler_bottom, &scheduler_size);
  }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10;
  static constexpr std::size_t kGuardBytes = 4096;

  static void Start(boost::context::detail::transfer_t transfer) {
    FinishSwitch(nullptr, &scheduler_bottom, &scheduler_size);
    scheduler = transfer.fctx;
    static_cast<Worker*>(transfer.data)->entry_();
    std::abort();  // entries do not return
  }

#if defined(__SANITIZE_ADDRESS__)
  static void StartSwitch(void** fake_stack, const void* bottom, std::size_t size) {
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
  }
  static void FinishSwitch(void* fake_stack, const void** bottom, std::size_t* size) {
    __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
  }
#else
  static void StartSwitch(void**, const void*, std::size_t) {}
  static void FinishSwitch(void*, const void**, std::size_t*) {}
#endif

  inline static boost::context::detail::fcontext_t scheduler = nullptr;
  inline static void* scheduler_fake_stack = nullptr;
  inline static const void* scheduler_bottom = nullptr;
  inline static std::size_t scheduler_size = 0;

  char* memory_ = nullptr;
  Entry entry_ = nullptr;
  boost::context::detail::fcontext_t context_ = nullptr;
};

/// Workers that run nothing, kept for reuse.
class WorkerPool {
 public:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() {
    for (Worker* worker : all_) delete worker;
  }
  Worker* Take(Worker::Entry entry) {
    if (idle_.empty()) {
      all_.push_back(new Worker);
      all_.back()->Reset(entry);
      return all_.back();
    }
    Worker* worker = idle_.back();
    idle_.pop_back();
    return worker;
  }
  void GiveBack(Worker* worker) { idle_.push_back(worker); }

 private:
  std::vector<Worker*> all_;
  std::vector<Worker*> idle_;
};

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_FIBERS_HPP
