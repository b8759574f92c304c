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

/// In which order the threads of a block run between barriers, and the blocks of a grid.
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
inline Orderer orderer;

}  // namespace STENCILGEN_EMULATOR_HIDDEN
}  // namespace stencilgen

#endif  // STENCILGEN_EMULATOR_THREAD_ORDER_HPP
