#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/interpret.h"
#include "tools/draw/picture.h"

namespace stencilgen::draw {

/// A plane or a line of numbers as it is drawn; NaN where there is none.
struct Field {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool line = false;  ///< of an array of one dimension
  std::vector<double> values;

  double At(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

/// A 1D or 2D array, or the middle plane of a 3D one (of 4D, of the first part), averaged over
/// squares to at most `most` elements along either side; what has no finite value is left out of
/// means. `defined` is empty where all elements have a value. Requires: shape has 1 to 4 extents,
/// all at least 1, and values as many elements.
Field SampleField(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape, std::int64_t most);

/// The values from dark to light.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool empty() const { return low > high; }
  void Include(const Field& field);
  /// From 0 at `low` to 1 at `high`. A range of one value is all in the middle.
  double Position(double value) const;
};

/// Each element a square of so many pixels; a line as the area below its curve.
Picture DrawField(const Field& field, const Range& range, int enlarge);

}  // namespace stencilgen::draw
