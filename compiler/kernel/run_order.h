#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernel/execute.h"

namespace stencilgen::kernel {

/// Draws what RunOrder leaves open.
class Orderer {
 public:
  Orderer(RunOrder order, unsigned seed)
      : order_(order), state_((std::uint64_t{seed} + 1) * 0x9E3779B97F4A7C15U) {}

  /// Puts the things into the next order.
  template <typename T>
  void Arrange(std::vector<T>& things) {
    const std::size_t count = things.size();
    if (order_ == RunOrder::Backward) {
      for (std::size_t k = 0; k < count / 2; ++k) std::swap(things[k], things[count - 1 - k]);
    }
    if (order_ != RunOrder::Random) return;
    for (std::size_t k = count; k > 1; --k) std::swap(things[k - 1], things[Next() % k]);
  }
  /// The numbers below `count` in the next order.
  void Fill(std::vector<unsigned>& numbers, std::size_t count) {
    numbers.resize(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    Arrange(numbers);
  }
  /// How many times in 8 a thread is to let others go first, until the next order.
  unsigned DrawYieldOdds() {
    constexpr unsigned kOdds[] = {0, 1, 2, 6};
    return order_ == RunOrder::Random ? kOdds[Next() % 4] : 0;
  }
  /// Which of so many warps run ahead of the others until the next order: in random order half of
  /// them, half of the time; else none.
  std::vector<bool> DrawAhead(std::size_t warps) {
    std::vector<bool> ahead(warps, false);
    if (order_ != RunOrder::Random || warps < 2 || !Happens(4)) return ahead;
    for (std::size_t warp = 0; warp < warps; ++warp) ahead[warp] = Happens(4);
    return ahead;
  }
  /// True `odds` times in 8.
  bool Happens(unsigned odds) { return Next() % 8 < odds; }
  bool CopyLandsAtOnce() {
    return order_ == RunOrder::Backward || (order_ == RunOrder::Random && Happens(4));
  }

 private:
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  RunOrder order_;
  std::uint64_t state_;
};

}  // namespace stencilgen::kernel
