#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.h"
#include "tools/draw/field.h"
#include "tools/draw/figure.h"
#include "tools/draw/text.h"
#include "tools/draw/ticks.h"

using namespace stencilgen;
using namespace stencilgen::draw;

namespace {

std::size_t BigEndian(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

constexpr Ink kDarkest = 0;
constexpr Ink kLightest = kNoValue - 1;

/// Enlarged to 256 pixels, as `--plain` draws it.
Picture Draw(const graph::Values& values, const std::vector<std::uint8_t>& defined,
             const std::vector<std::int64_t>& shape) {
  const Field field = SampleField(values, defined, shape, 1024);
  Range range;
  range.Include(field);
  const auto longest = static_cast<int>(std::max(field.rows, field.columns));
  return DrawField(field, range, std::max(1, 256 / longest));
}

std::vector<std::string> TickLabels(double low, double high, int most) {
  std::vector<std::string> labels;
  for (const Tick& tick : TicksOf(low, high, most)) labels.push_back(tick.label);
  return labels;
}

int CountInk(const Picture& picture, Ink ink) {
  return static_cast<int>(std::count(picture.pixels.begin(), picture.pixels.end(), ink));
}

}  // namespace

TEST_CASE("a picture becomes a PNG file of its size") {
  const graph::Values values = std::vector<double>{0, 1, 2, 3, 4, 5};
  const Picture picture = Draw(values, {}, {2, 3});
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
  const Picture picture = Draw(values, {1, 1, 1, 0}, {2, 2});
  REQUIRE(picture.width == 256);
  REQUIRE(picture.height == 256);
  CHECK(picture.At(0, 0) == kDarkest);
  CHECK(picture.At(0, 255) == kLightest);
  CHECK(picture.At(255, 0) == kNoValue);
  CHECK(picture.At(255, 255) == kNoValue);
}

TEST_CASE("the middle plane of three dimensions is drawn") {
  std::vector<float> values(3 * 4, 0.0F);
  values[4] = 1.0F;  // plane 1, row 0, column 0
  const Picture picture = Draw(values, {}, {3, 2, 2});
  CHECK(picture.At(0, 0) == kLightest);
  CHECK(picture.At(255, 255) == kDarkest);
}

TEST_CASE("of four dimensions the middle plane of the first part is drawn") {
  std::vector<float> values(2 * 3 * 4, 0.0F);
  values[4] = 1.0F;       // part 0, plane 1, row 0, column 0
  values[12 + 7] = 1.0F;  // part 1, plane 1, row 1, column 1
  const Picture picture = Draw(values, {}, {2, 3, 2, 2});
  CHECK(picture.At(0, 0) == kLightest);
  CHECK(picture.At(255, 255) == kDarkest);
}

TEST_CASE("odd shapes and extreme values are drawn") {
  const double large = std::numeric_limits<double>::max();
  CHECK(Draw(std::vector<double>{5}, {}, {1, 1}).width == 256);
  CHECK(Draw(std::vector<double>{-large, large}, {}, {1, 2}).height == 128);
  CHECK(Draw(std::vector<double>(5000, 1.0), {}, {1, 5000}).width == 1000);
  CHECK(Draw(std::vector<std::int32_t>{0, 1, 2}, {}, {3}).height == 256);
  CHECK(Draw(std::vector<std::uint8_t>{0, 0, 0}, {0, 0, 0}, {3, 1}).height == 255);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(Draw(std::vector<double>{infinity}, {}, {1}).At(100, 0) == kNoValue);
}

TEST_CASE("the palette goes from dark violet to yellow, and has greys") {
  CHECK(Palette()[kDarkest] == Color{68, 1, 84});
  CHECK(Palette()[kLightest] == Color{253, 231, 37});
  CHECK(Palette()[kNoValue] == Color{160, 160, 160});
  CHECK(Palette()[kBlack] == Color{0, 0, 0});
  CHECK(Palette()[kWhite] == Color{255, 255, 255});
  CHECK(InkAt(-1) == kDarkest);
  CHECK(InkAt(2) == kLightest);
}

TEST_CASE("ticks are round numbers with the digits that tell them apart") {
  using Labels = std::vector<std::string>;
  CHECK(TickLabels(0, 1, 6) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(TickLabels(0, 300, 4) == Labels{"0", "100", "200", "300"});
  CHECK(TickLabels(-0.3, 0.7, 3) == Labels{"0", "0.5"});
  CHECK(TickLabels(-3, 41, 5) == Labels{"0", "20", "40"});
  CHECK(TickLabels(0, 3e38, 4) == Labels{"0", "1e+38", "2e+38", "3e+38"});
  CHECK(TickLabels(1e-7, 3e-7, 3) == Labels{"1e-07", "2e-07", "3e-07"});
  CHECK(TickLabels(5, 5, 4) == Labels{"5"});
  CHECK(TickLabels(2, 1, 4).empty());
}

TEST_CASE("ticks of awkward ranges end, and lie inside") {
  const double large = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {-large, large}, {0, tiny}, {1, 1 + 1e-15}, {-large, -large / 2}, {1e15, 1e15 + 1}}) {
    const auto ticks = TicksOf(low, high, 5);
    CHECK(!ticks.empty());
    CHECK(ticks.size() <= 5);
    for (const Tick& tick : ticks) {
      CHECK(tick.value >= low);
      CHECK(tick.value <= high);
    }
  }
  CHECK(TicksOf(0, std::numeric_limits<double>::infinity(), 5).empty());
}

TEST_CASE("text is as wide as it is said to be, and stays in the picture") {
  CHECK(TextWidth("") == 0);
  CHECK(TextWidth("ii") < TextWidth("mm"));
  CHECK(TextWidth("\xCE\xB1") < TextWidth("\xCE\xB1\xCE\xB1"));  // alpha
  Picture picture(100, 40);
  DrawText(picture, 25, 50, "HHH", Align::Middle);
  const int half = TextWidth("HHH") / 2 + 1;
  for (int row = 0; row < picture.height; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      const bool near = std::abs(column - 50) <= half && row <= 25 && row >= 24 - TextHeight();
      if (picture.At(row, column) != kWhite) CHECK(near);
    }
  }
  CHECK(CountInk(picture, kWhite) < 100 * 40 - 20);
  DrawText(picture, -5, -20, "outside", Align::Left);
  DrawText(picture, 60, 120, "outside \xFF\xE4", Align::Right);
}

TEST_CASE("a figure holds the field, a title, axes and the colours of values") {
  const Field field = SampleField(std::vector<double>{0, 1, 2, 3, 4, 5}, {}, {2, 3}, 1024);
  const Range range{0, 5};
  const Picture inside = DrawField(field, range, 107);
  const Labels labels{"title", {"j", 0, 2}, {"i", 0, 3}};
  const Picture figure = DrawFigure(field, range, labels, 320);
  CHECK(figure.width > inside.width);
  // The field is in it as it is alone.
  bool found = false;
  for (int row = 0; row + inside.height <= figure.height && !found; ++row) {
    for (int column = 0; column + inside.width <= figure.width && !found; ++column) {
      found = true;
      for (int y = 0; y < inside.height && found; y += 10) {
        for (int x = 0; x < inside.width && found; x += 10) {
          found = figure.At(row + y, column + x) == inside.At(y, x);
        }
      }
    }
  }
  CHECK(found);
  // The bar has a shade for each of its rows.
  int shades = 0;
  for (int ink = 0; ink <= kLightest; ++ink) {
    shades += CountInk(figure, static_cast<Ink>(ink)) > 0 ? 1 : 0;
  }
  CHECK(shades == inside.height);
  const Labels untitled{"", labels.down, labels.across};
  const Picture other = DrawFigure(field, range, untitled, 320);
  CHECK(other.width == figure.width);
  CHECK(CountInk(other, kWhite) > CountInk(figure, kWhite));
}

TEST_CASE("figures of awkward fields are drawn") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto draw = [](const graph::Values& values, const std::vector<std::int64_t>& shape) {
    const Field field = SampleField(values, {}, shape, 1024);
    Range range;
    range.Include(field);
    return DrawFigure(field, range, {"a long title " + std::string(90, 'x'), {}, {"i", 3, -3}},
                      320);
  };
  CHECK(draw(std::vector<double>{nan}, {1, 1}).width > 320);
  CHECK(draw(std::vector<double>{nan, nan}, {2}).width > 320);
  CHECK(draw(std::vector<double>{7}, {1}).height > 256);
  CHECK(draw(std::vector<float>(3000, 0.0F), {1, 3000}).width > 600);
  CHECK(draw(std::vector<std::int32_t>(3000, 1), {3000, 1}).height > 600);
}
