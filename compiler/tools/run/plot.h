#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/interpret.h"

namespace stencilgen::driver {

/// Rows from the top, three bytes (red, green, blue) a pixel.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// A field as colours from dark (its smallest value) to light (its largest): a 1D array as the
/// area below its curve, a 2D one as it lies in memory, the middle plane of a 3D one. Small fields
/// are enlarged, large ones averaged, to about a thousand pixels at most along either side.
/// Elements without a value, and NaN, are grey. `defined` is empty where all elements have one.
/// Requires: shape has 1 to 3 extents, all at least 1.
Picture DrawField(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape);

/// The picture as a PNG file. Empty where the encoder fails.
std::string EncodePng(const Picture& picture);

}  // namespace stencilgen::driver
