#pragma once

#include <string>
#include <vector>

namespace stencilgen::draw {

struct Tick {
  double value = 0;
  std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten apart) in [low, high], `most` of them at most, as
/// labels that tell them apart. One where low and high are the same; none where either is not
/// finite or low > high.
/// Requires: most >= 2.
std::vector<Tick> TicksOf(double low, double high, int most);

}  // namespace stencilgen::draw
