#pragma once

// Inputs and checksums, the same where a pack is written and where it runs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#define PACK_BOTH __host__ __device__
#else
#define PACK_BOTH
#endif

namespace pack {

/// A well mixed number for each index.
PACK_BOTH inline std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Input `index` of the array number `seed`: in [lowest, 1], or a small integer, or a bit.
template <typename T>
PACK_BOTH T Input(std::uint64_t seed, std::uint64_t index, double lowest) {
  const std::uint64_t bits = Mix(seed * 0x632be59bd9b4e019ULL + index);
  if (std::is_floating_point<T>::value) {
    const double unit = static_cast<double>(bits >> 11) / 9007199254740992.0;
    return static_cast<T>(lowest + (1 - lowest) * unit);
  }
  return static_cast<T>(sizeof(T) == 1 ? bits >> 63 : bits >> 61);
}

/// A checksum that bears rounding: sums of all elements with random signs. The mean square of the
/// differences of two such sums is about the square of the distance of the arrays.
struct Sketch {
  static constexpr int kSums = 16;
  double sums[kSums] = {};
  double squares = 0;
  double count = 0;

  void Add(std::uint64_t index, double value) {
    const std::uint64_t signs = Mix(~index);
    for (int n = 0; n < kSums; ++n) sums[n] += (signs >> n & 1) != 0 ? value : -value;
    squares += value * value;
    count += 1;
  }

  /// The root mean square of the differences, of that of `reference`, which is at least 0.1; NaN
  /// where this has elements that are no numbers.
  double RelativeError(const Sketch& reference) const {
    if (count == 0) return 0;
    double error = 0;
    for (int n = 0; n < kSums; ++n) {
      const double difference = sums[n] - reference.sums[n];
      error += difference * difference / kSums;
    }
    const double scale = std::sqrt(reference.squares / count);
    return std::sqrt(error / count) / (scale > 0.1 ? scale : 0.1);
  }
};

}  // namespace pack
