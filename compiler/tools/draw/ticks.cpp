#include "tools/draw/ticks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "support/check.h"

namespace stencilgen::draw {

namespace {

/// The smallest of 1, 2 and 5 times a power of ten that is not below.
double RoundUp(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// With as many digits as tell apart what is `step` apart.
std::string Label(double value, double step, double largest) {
  constexpr double kSmallest = 1e-4;
  constexpr double kLargest = 1e6;
  if (value == 0) return "0";
  if (largest >= kLargest || step < kSmallest) {
    const double digits = std::floor(std::log10(std::abs(value))) - std::floor(std::log10(step));
    return fmt::format("{:.{}e}", value, std::clamp(static_cast<int>(digits), 0, 12));
  }
  const double digits = -std::floor(std::log10(step) + 1e-9);
  return fmt::format("{:.{}f}", value, std::max(static_cast<int>(digits), 0));
}

}  // namespace

std::vector<Tick> TicksOf(double low, double high, int most) {
  STENCILGEN_CHECK(most >= 2);
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return {};
  if (low == high) return {{low, fmt::format("{:.4g}", low)}};
  // Halves: the difference of the largest doubles is no double.
  const double step = RoundUp(2 * ((high / 2 - low / 2) / (most - 1)));
  const double scale = std::max(std::abs(low), std::abs(high));
  if (!std::isfinite(step) || !(step > 1e-12 * scale)) {
    return {{low, fmt::format("{:.4g}", low)}, {high, fmt::format("{:.4g}", high)}};
  }
  std::vector<Tick> ticks;
  constexpr double kSlack = 1e-9;  // of a step
  const double last = std::floor(high / step + kSlack);
  for (double n = std::ceil(low / step - kSlack); n <= last; ++n) {
    ticks.push_back({std::clamp(n * step, low, high), Label(n * step, step, scale)});
  }
  return ticks;
}

}  // namespace stencilgen::draw
