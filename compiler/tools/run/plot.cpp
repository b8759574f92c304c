#include "tools/run/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <png.h>

#include "support/check.h"

namespace stencilgen::driver {

namespace {

constexpr std::int64_t kMostPixels = 1024;
constexpr std::int64_t kFewestPixels = 256;

using Color = std::array<double, 3>;
constexpr Color kGrey = {160, 160, 160};
constexpr Color kPaper = {255, 255, 255};

/// From dark violet over green to yellow, of evenly rising brightness.
Color ColorOf(double position) {
  constexpr std::array<Color, 9> kStops = {{{68, 1, 84},
                                            {71, 44, 122},
                                            {59, 81, 139},
                                            {44, 113, 142},
                                            {33, 144, 141},
                                            {39, 173, 129},
                                            {92, 200, 99},
                                            {170, 220, 50},
                                            {253, 231, 37}}};
  const double scaled = std::clamp(position, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(scaled), kStops.size() - 2);
  const double weight = scaled - static_cast<double>(below);
  Color color{};
  for (std::size_t i = 0; i < 3; ++i) {
    color[i] = (1 - weight) * kStops[below][i] + weight * kStops[below + 1][i];
  }
  return color;
}

/// A plane of numbers; NaN where there is no value.
struct Plane {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;
  double At(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

Plane MiddlePlane(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape) {
  Plane plane;
  plane.columns = shape.back();
  plane.rows = shape.size() == 1 ? 1 : shape[shape.size() - 2];
  const std::int64_t middle = shape.size() == 3 ? shape.front() / 2 : 0;
  const auto size = static_cast<std::size_t>(plane.rows * plane.columns);
  const std::size_t first = static_cast<std::size_t>(middle) * size;
  plane.values.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const bool has_value = defined.empty() || defined[first + i] != 0;
    plane.values[i] = has_value ? graph::ElementAsDouble(values, first + i)
                                : std::numeric_limits<double>::quiet_NaN();
  }
  return plane;
}

/// Means over `step` by `step` squares, those without any value left out.
Plane Reduce(const Plane& plane, std::int64_t row_step, std::int64_t column_step) {
  Plane result;
  result.rows = (plane.rows + row_step - 1) / row_step;
  result.columns = (plane.columns + column_step - 1) / column_step;
  for (std::int64_t row = 0; row < result.rows; ++row) {
    for (std::int64_t column = 0; column < result.columns; ++column) {
      double sum = 0;
      std::int64_t count = 0;
      const std::int64_t row_end = std::min(plane.rows, (row + 1) * row_step);
      const std::int64_t column_end = std::min(plane.columns, (column + 1) * column_step);
      for (std::int64_t j = row * row_step; j < row_end; ++j) {
        for (std::int64_t i = column * column_step; i < column_end; ++i) {
          const double value = plane.At(j, i);
          if (!std::isfinite(value)) continue;
          sum += value;
          ++count;
        }
      }
      result.values.push_back(count > 0 ? sum / static_cast<double>(count)
                                        : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return result;
}

/// Maps values to [0, 1].
class Scale {
 public:
  explicit Scale(const Plane& plane) {
    for (const double value : plane.values) {
      if (!std::isfinite(value)) continue;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
  }
  /// A field of one value sits in the middle. Halves keep the largest doubles from overflowing.
  double operator()(double value) const {
    return high_ > low_ ? (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2) : 0.5;
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

void Append(Picture& picture, const Color& color) {
  for (const double part : color)
    picture.rgb.push_back(static_cast<std::uint8_t>(std::lround(part)));
}

Picture DrawCurve(const Plane& plane, const Scale& scale, std::int64_t enlarge) {
  constexpr int kHeight = 256;
  constexpr int kMargin = 4;
  Picture picture{static_cast<int>(plane.columns * enlarge), kHeight, {}};
  for (int row = 0; row < kHeight; ++row) {
    const double level = 1 - static_cast<double>(row - kMargin) / (kHeight - 1 - 2 * kMargin);
    for (std::int64_t pixel = 0; pixel < picture.width; ++pixel) {
      const double value = plane.At(0, pixel / enlarge);
      const double position = std::isfinite(value) ? scale(value) : 1;
      const Color ink = std::isfinite(value) ? ColorOf(position) : kGrey;
      Append(picture, level <= position ? ink : kPaper);
    }
  }
  return picture;
}

}  // namespace

Picture DrawField(const graph::Values& values, const std::vector<std::uint8_t>& defined,
                  const std::vector<std::int64_t>& shape) {
  STENCILGEN_CHECK(!shape.empty() && shape.size() <= 3);
  const Plane whole = MiddlePlane(values, defined, shape);
  const std::int64_t longest = std::max(whole.rows, whole.columns);
  const std::int64_t step = (longest + kMostPixels - 1) / kMostPixels;
  const Plane plane = Reduce(whole, step, step);
  const Scale scale(plane);
  const std::int64_t enlarge =
      std::max<std::int64_t>(1, kFewestPixels / std::max(plane.rows, plane.columns));
  if (shape.size() == 1) return DrawCurve(plane, scale, enlarge);

  Picture picture{
      static_cast<int>(plane.columns * enlarge), static_cast<int>(plane.rows * enlarge), {}};
  for (std::int64_t row = 0; row < picture.height; ++row) {
    for (std::int64_t column = 0; column < picture.width; ++column) {
      const double value = plane.At(row / enlarge, column / enlarge);
      Append(picture, std::isfinite(value) ? ColorOf(scale(value)) : kGrey);
    }
  }
  return picture;
}

std::string EncodePng(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) ==
      0) {
    return "";
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace stencilgen::driver
