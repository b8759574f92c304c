#include "tools/draw/field.h"

#include <algorithm>
#include <cmath>

#include "support/check.h"

namespace stencilgen::draw {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Field MiddlePlane(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape) {
  Field plane;
  plane.line = shape.size() == 1;
  plane.columns = shape.back();
  plane.rows = plane.line ? 1 : shape[shape.size() - 2];
  const std::int64_t middle = shape.size() > 2 ? shape[shape.size() - 3] / 2 : 0;
  const auto size = static_cast<std::size_t>(plane.rows * plane.columns);
  const std::size_t first = static_cast<std::size_t>(middle) * size;
  plane.values.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const bool has_value = defined.empty() || defined[first + i] != 0;
    plane.values[i] = has_value ? graph::ElementAsDouble(values, first + i) : kNone;
  }
  return plane;
}

double MeanOf(const Field& plane, std::int64_t row, std::int64_t column, std::int64_t step) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t j = row; j < std::min(plane.rows, row + step); ++j) {
    for (std::int64_t i = column; i < std::min(plane.columns, column + step); ++i) {
      const double value = plane.At(j, i);
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : kNone;
}

Picture DrawLine(const Field& field, const Range& range, int enlarge) {
  constexpr int kHeight = 256;
  constexpr int kMargin = 4;
  Picture picture(static_cast<int>(field.columns) * enlarge, kHeight);
  for (int row = 0; row < kHeight; ++row) {
    const double level = 1 - static_cast<double>(row - kMargin) / (kHeight - 1 - 2 * kMargin);
    for (int column = 0; column < picture.width; ++column) {
      const double value = field.At(0, column / enlarge);
      const bool has_value = std::isfinite(value);
      const double position = has_value ? range.Position(value) : 1;
      if (level <= position) picture.At(row, column) = has_value ? InkAt(position) : kNoValue;
    }
  }
  return picture;
}

}  // namespace

Field SampleField(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape, std::int64_t most) {
  STENCILGEN_CHECK(!shape.empty() && shape.size() <= 4);
  Field plane = MiddlePlane(values, defined, shape);
  const std::int64_t step = (std::max(plane.rows, plane.columns) + most - 1) / most;
  if (step == 1) return plane;
  Field field;
  field.line = plane.line;
  field.rows = (plane.rows + step - 1) / step;
  field.columns = (plane.columns + step - 1) / step;
  for (std::int64_t row = 0; row < field.rows; ++row) {
    for (std::int64_t column = 0; column < field.columns; ++column) {
      field.values.push_back(MeanOf(plane, row * step, column * step, step));
    }
  }
  return field;
}

void Range::Include(const Field& field) {
  for (const double value : field.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

double Range::Position(double value) const {
  // Halves keep the largest doubles from overflowing.
  return high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
}

Picture DrawField(const Field& field, const Range& range, int enlarge) {
  if (field.line) return DrawLine(field, range, enlarge);
  Picture picture(static_cast<int>(field.columns) * enlarge,
                  static_cast<int>(field.rows) * enlarge);
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const double value = field.At(row / enlarge, column / enlarge);
      picture.At(row, column) = std::isfinite(value) ? InkAt(range.Position(value)) : kNoValue;
    }
  }
  return picture;
}

}  // namespace stencilgen::draw
