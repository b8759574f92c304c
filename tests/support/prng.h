#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stencilgen::testing {

/// SplitMix64: small, good enough for tests, and the same sequence on every platform (the standard
/// library's distributions are not).
class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 <= value < count. Requires: count >= 1.
  int Below(int count) { return static_cast<int>(Next() % static_cast<std::uint64_t>(count)); }
  /// lo <= value <= hi.
  int Range(int lo, int hi) { return lo + Below(hi - lo + 1); }
  bool Percent(int chance) { return Below(100) < chance; }
  /// In [-1, 1), a multiple of 2^-52.
  double Unit() {
    return static_cast<double>(static_cast<std::int64_t>(Next() >> 11)) / 4503599627370496.0 - 1.0;
  }
  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(Below(static_cast<int>(items.size())))];
  }

 private:
  std::uint64_t state_;
};

/// A hash of a name: FNV-1a. For seeds that depend on a name.
constexpr std::uint64_t HashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace stencilgen::testing
