#pragma once

#include <cstdint>

namespace stencilgen {

/// A number modulo the prime 2^61 - 1: exact arithmetic of bounded size. Expressions that are equal
/// over the rationals are equal here; others differ at random operands but for a chance of about
/// their degree in 2^61.
class PrimeField {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  PrimeField() = default;
  explicit PrimeField(std::uint64_t value) : value_(value % kPrime) {}

  std::uint64_t value() const { return value_; }
  friend PrimeField operator+(PrimeField a, PrimeField b) {
    return PrimeField(a.value_ + b.value_);
  }
  friend PrimeField operator-(PrimeField a, PrimeField b) {
    return PrimeField(a.value_ + kPrime - b.value_);
  }
  friend PrimeField operator*(PrimeField a, PrimeField b) {
    std::uint64_t low = 0, high = 0;
    Multiply(a.value_, b.value_, low, high);
    // 2^64 = 8 modulo the prime.
    return PrimeField((low & kPrime) + ((high << 3) | (low >> 61)));
  }
  /// Zero has the inverse zero.
  friend PrimeField operator/(PrimeField a, PrimeField b) {
    PrimeField inverse(1), power = b;
    for (std::uint64_t exponent = kPrime - 2; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) inverse = inverse * power;
      power = power * power;
    }
    return a * inverse;
  }
  friend bool operator==(PrimeField, PrimeField) = default;

 private:
  static void Multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& low, std::uint64_t& high) {
    const std::uint64_t mask = 0xffffffff;
    const std::uint64_t ll = (a & mask) * (b & mask), lh = (a & mask) * (b >> 32);
    const std::uint64_t hl = (a >> 32) * (b & mask), hh = (a >> 32) * (b >> 32);
    const std::uint64_t middle = (ll >> 32) + (lh & mask) + (hl & mask);
    low = (ll & mask) | (middle << 32);
    high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
  }

  std::uint64_t value_ = 0;
};

}  // namespace stencilgen
