#include <array>
#include <limits>

#include "support/catch.h"
#include "tools/run/plot.h"

using namespace stencilgen;
using namespace stencilgen::driver;

namespace {

std::size_t BigEndian(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::array<int, 3> Pixel(const Picture& picture, int row, int column) {
  const auto at = static_cast<std::size_t>(3 * (row * picture.width + column));
  return {picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]};
}

}  // namespace

TEST_CASE("a picture becomes a PNG file of its size") {
  const graph::Values values = std::vector<double>{0, 1, 2, 3, 4, 5};
  const Picture picture = DrawField(values, {}, {2, 3});
  const std::string png = EncodePng(picture);
  REQUIRE(png.size() > 45);
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  CHECK(png.substr(12, 4) == "IHDR");
  CHECK(BigEndian(png, 16) == static_cast<std::size_t>(picture.width));
  CHECK(BigEndian(png, 20) == static_cast<std::size_t>(picture.height));
  CHECK(png.substr(png.size() - 8, 4) == "IEND");
}

TEST_CASE("the smallest value is dark, the largest light, no value grey") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const graph::Values values = std::vector<double>{-1, 7, nan, 3};
  const Picture picture = DrawField(values, {1, 1, 1, 0}, {2, 2});
  REQUIRE(picture.width == 256);
  REQUIRE(picture.height == 256);
  CHECK(Pixel(picture, 0, 0) == std::array<int, 3>{68, 1, 84});
  CHECK(Pixel(picture, 0, 255) == std::array<int, 3>{253, 231, 37});
  CHECK(Pixel(picture, 255, 0) == std::array<int, 3>{160, 160, 160});
  CHECK(Pixel(picture, 255, 255) == std::array<int, 3>{160, 160, 160});
}

TEST_CASE("the middle plane of three dimensions is drawn") {
  std::vector<float> values(3 * 4, 0.0F);
  values[4] = 1.0F;  // plane 1, row 0, column 0
  const Picture picture = DrawField(values, {}, {3, 2, 2});
  CHECK(Pixel(picture, 0, 0) == std::array<int, 3>{253, 231, 37});
  CHECK(Pixel(picture, 255, 255) == std::array<int, 3>{68, 1, 84});
}

TEST_CASE("odd shapes and extreme values are drawn") {
  const double large = std::numeric_limits<double>::max();
  CHECK(DrawField(std::vector<double>{5}, {}, {1, 1}).width == 256);
  CHECK(DrawField(std::vector<double>{-large, large}, {}, {1, 2}).height == 128);
  CHECK(DrawField(std::vector<double>(5000, 1.0), {}, {1, 5000}).width == 1000);
  CHECK(DrawField(std::vector<std::int32_t>{0, 1, 2}, {}, {3}).height == 256);
  CHECK(DrawField(std::vector<std::uint8_t>{0, 0, 0}, {0, 0, 0}, {3, 1}).height == 255);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(Pixel(DrawField(std::vector<double>{infinity}, {}, {1}), 100, 0) ==
        std::array<int, 3>{160, 160, 160});
}
