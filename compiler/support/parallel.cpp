#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stencilgen {

std::size_t Cores() {
  return std::max(1U, std::thread::hardware_concurrency());
}

void ForEachInParallel(std::size_t count, std::size_t jobs,
                       const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    for (std::size_t k = next++; k < count; k = next++) {
      try {
        work(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    // They are joined where one of them cannot be started, too.
    std::vector<std::jthread> threads;
    for (std::size_t k = 1; k < std::min(jobs, count); ++k) threads.emplace_back(take);
    take();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace stencilgen
