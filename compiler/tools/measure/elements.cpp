#include "tools/measure/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace stencilgen::measure {
namespace {

/// Elements of `half` and `bfloat16`: a sign, bits of the exponent, bits of the fraction.
template <int exponent_bits>
struct Narrow {
  std::uint16_t bits;
  explicit operator double() const {
    constexpr int kFraction = 15 - exponent_bits;
    constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
    const int fraction = bits & ((1 << kFraction) - 1);
    const int exponent = (bits & 0x7fff) >> kFraction;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 2 * kBias + 1) {
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    }
    const int implicit = exponent > 0 ? 1 << kFraction : 0;
    return sign * std::ldexp(fraction + implicit, std::max(exponent, 1) - kBias - kFraction);
  }
};

template <typename T>
Difference CompareValues(const Bytes& got, const Bytes& want, const Bytes& defined) {
  Difference difference;
  for (std::size_t n = 0; n < defined.size(); ++n) {
    if (defined[n] == 0) continue;
    T g;
    T w;
    std::memcpy(&g, got.data() + n * sizeof(T), sizeof(T));
    std::memcpy(&w, want.data() + n * sizeof(T), sizeof(T));
    const auto g_value = static_cast<double>(g);
    const auto w_value = static_cast<double>(w);
    const bool same =
        std::memcmp(&g, &w, sizeof(T)) == 0 || (std::isnan(g_value) && std::isnan(w_value));
    if (!same && difference.same) {
      difference.same = false;
      difference.first = n;
      difference.got = g_value;
      difference.want = w_value;
    }
    const bool numbers = std::isfinite(g_value) && std::isfinite(w_value);
    if (!same && !numbers) difference.finite = false;
    if (!numbers) continue;
    ++difference.numbers;
    difference.error += (g_value - w_value) * (g_value - w_value);
    difference.norm += w_value * w_value;
  }
  return difference;
}

}  // namespace

std::size_t ElementSize(const std::string& type) {
  if (type == "double") return 8;
  if (type == "bool" || type == "int8" || type == "uint8") return 1;
  return type == "int" || type == "float" ? 4 : 2;
}

Bytes ReadBytes(std::istream& from, std::size_t size) {
  Bytes bytes(size);
  from.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  return bytes;
}

double Difference::Relative() const {
  if (error == 0) return 0;
  return norm > 0 ? std::sqrt(error / norm) : std::numeric_limits<double>::infinity();
}

Difference Compare(const std::string& type, const Bytes& got, const Bytes& want,
                   const Bytes& defined) {
  if (type == "double") return CompareValues<double>(got, want, defined);
  if (type == "float") return CompareValues<float>(got, want, defined);
  if (type == "int") return CompareValues<std::int32_t>(got, want, defined);
  if (type == "half") return CompareValues<Narrow<5>>(got, want, defined);
  if (type == "bfloat16") return CompareValues<Narrow<8>>(got, want, defined);
  if (type == "int16") return CompareValues<std::int16_t>(got, want, defined);
  if (type == "uint16") return CompareValues<std::uint16_t>(got, want, defined);
  if (type == "int8") return CompareValues<std::int8_t>(got, want, defined);
  return CompareValues<std::uint8_t>(got, want, defined);
}

}  // namespace stencilgen::measure
