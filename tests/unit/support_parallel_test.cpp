#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/parallel.h"

using namespace stencilgen;

TEST_CASE("each index is worked on once, whatever the number of jobs") {
  REQUIRE(Cores() >= 1);
  for (const std::size_t jobs : {std::size_t{0}, std::size_t{1}, std::size_t{3}, Cores()}) {
    CAPTURE(jobs);
    std::vector<std::atomic<int>> calls(1000);
    ForEachInParallel(calls.size(), jobs, [&](std::size_t k) { ++calls.at(k); });
    CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& times) { return times == 1; }));
  }
}

TEST_CASE("there may be more jobs than work, or no work") {
  std::vector<std::atomic<int>> calls(3);
  ForEachInParallel(calls.size(), 16, [&](std::size_t k) { ++calls.at(k); });
  CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& times) { return times == 1; }));
  ForEachInParallel(0, 16, [&](std::size_t) { ++calls[0]; });
  CHECK(calls[0] == 1);
}

TEST_CASE("so many jobs are done at a time") {
  constexpr std::size_t kJobs = 4;
  std::atomic<std::size_t> here = 0;
  // None ends before all have begun.
  ForEachInParallel(kJobs, kJobs, [&](std::size_t) {
    ++here;
    while (here < kJobs) std::this_thread::yield();
  });
  CHECK(here == kJobs);
}

TEST_CASE("an exception is rethrown where the work was asked for, when all threads are done") {
  constexpr std::size_t kJobs = 4;
  std::atomic<std::size_t> begun = 0;
  std::atomic<std::size_t> ended = 0;
  const auto work = [&](std::size_t k) {
    ++begun;
    // All have begun before the first one throws.
    while (begun < kJobs) std::this_thread::yield();
    if (k == 2) throw std::runtime_error("two");
    ++ended;
  };
  CHECK_THROWS_WITH(ForEachInParallel(kJobs, kJobs, work), "two");
  CHECK(ended == kJobs - 1);
}

TEST_CASE("after an exception no other work is begun") {
  std::vector<std::size_t> done;
  const auto work = [&](std::size_t k) {
    done.push_back(k);
    if (k == 2) throw std::runtime_error("two");
  };
  CHECK_THROWS_WITH(ForEachInParallel(100, 1, work), "two");
  CHECK(done == std::vector<std::size_t>{0, 1, 2});
}
