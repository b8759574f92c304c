#ifndef STENCILGEN_EMULATOR_THREAD_ORDER_HPP
#define STENCILGEN_EMULATOR_THREAD_ORDER_HPP

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "language.hpp"

namespace stencilgen {
namespace emulator STENCILGEN_EMULATOR_HIDDEN {

/// In which order the threads of a block run between barriers, and the blocks of a grid. Forward
/// and backward, each thread runs to its barrier in one go; in random order threads also change
/// places where they touch shared memory, some often, some never, and some warps run ahead.
/// Asynchronous copies land as late as they may in forward order, at once in backward order, and
/// either way in random order.
enum class ThreadOrder : int { Forward = 0, Backward = 1, Random = 2 };

class Orderer {
 public:
  Orderer() {
    const char* text = std::getenv("STENCILGEN_EMULATOR_ORDER");
    if (text == nullptr || std::strcmp(text, "forward") == 0) return;
    if (std::strcmp(text, "backward") == 0) {
      Set(ThreadOrder::Backward, 0);
    } else {
      Set(ThreadOrder::Random, static_cast<unsigned>(std::strtoul(text, nullptr, 10)));
    }
  }
  void Set(ThreadOrder order, unsigned seed) {
    order_ = order;
    state_ = (std::uint64_t{seed} + 1) * 0x9E3779B97F4A7C15U;
  }
  /// The numbers below `count` in the next order.
  void Fill(std::vector<unsigned>& numbers, std::size_t count) {
    numbers.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = order_ == ThreadOrder::Backward ? count - 1 - i : i;
      numbers[i] = static_cast<unsigned>(number);
    }
    if (order_ != ThreadOrder::Random) return;
    for (std::size_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[Next() % i]);
  }
  /// How many times in 8 a thread is to let others go first, until the next order.
  unsigned char DrawYieldOdds() {
    constexpr unsigned char kOdds[] = {0, 1, 2, 6};
    return order_ == ThreadOrder::Random ? kOdds[Next() % 4] : static_cast<unsigned char>(0);
  }
  /// Which of so many warps run ahead of the others until the next order: in random order half of
  /// them, half of the time; else none.
  void DrawAhead(std::vector<bool>& ahead, std::size_t warps) {
    ahead.assign(warps, false);
    if (order_ != ThreadOrder::Random || warps < 2 || !Happens(4)) return;
    for (std::size_t warp = 0; warp < warps; ++warp) ahead[warp] = Happens(4);
  }
  /// True `odds` times in 8.
  bool Happens(unsigned odds) { return Next() % 8 < odds; }
  bool CopyLandsAtOnce() {
    return order_ == ThreadOrder::Backward || (order_ == ThreadOrder::Random && Happens(4));
  }

 private:
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  ThreadOrder order_ = ThreadOrder::Forward;
  std::uint64_t state_ = 1;
};
STENCILGEN_EMULATOR_VARIABLE Orderer orderer;

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_THREAD_ORDER_HPP
