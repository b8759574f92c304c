#include "tools/draw/picture.h"

#include <algorithm>
#include <cmath>

#include <png.h>

namespace stencilgen::draw {

namespace {

constexpr int kShades = kNoValue;
constexpr int kGreys = kWhite - kBlack + 1;

Color Shade(double position) {
  constexpr std::array<std::array<double, 3>, 9> kStops = {{{68, 1, 84},
                                                            {71, 44, 122},
                                                            {59, 81, 139},
                                                            {44, 113, 142},
                                                            {33, 144, 141},
                                                            {39, 173, 129},
                                                            {92, 200, 99},
                                                            {170, 220, 50},
                                                            {253, 231, 37}}};
  const double scaled = position * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(scaled), kStops.size() - 2);
  const double weight = scaled - static_cast<double>(below);
  const auto part = [&](std::size_t i) {
    return static_cast<std::uint8_t>(
        std::lround((1 - weight) * kStops[below][i] + weight * kStops[below + 1][i]));
  };
  return {part(0), part(1), part(2)};
}

std::array<Color, 256> MakePalette() {
  std::array<Color, 256> palette{};
  for (int i = 0; i < kShades; ++i) {
    palette[static_cast<std::size_t>(i)] = Shade(static_cast<double>(i) / (kShades - 1));
  }
  palette[kNoValue] = {160, 160, 160};
  for (int i = 0; i < kGreys; ++i) {
    const auto level = static_cast<std::uint8_t>(std::lround(255.0 * i / (kGreys - 1)));
    palette[static_cast<std::size_t>(kBlack + i)] = {level, level, level};
  }
  return palette;
}

}  // namespace

const std::array<Color, 256>& Palette() {
  static const std::array<Color, 256> palette = MakePalette();
  return palette;
}

Ink InkAt(double position) {
  return static_cast<Ink>(std::lround(std::clamp(position, 0.0, 1.0) * (kShades - 1)));
}

Picture::Picture(int columns, int rows, Ink ink)
    : width(columns),
      height(rows),
      pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), ink) {}

void Picture::Fill(int row, int column, int rows, int columns, Ink ink) {
  for (int y = std::max(row, 0); y < std::min(row + rows, height); ++y) {
    for (int x = std::max(column, 0); x < std::min(column + columns, width); ++x) At(y, x) = ink;
  }
}

void Picture::Paste(int row, int column, const Picture& other) {
  for (int y = 0; y < other.height; ++y) {
    for (int x = 0; x < other.width; ++x) At(row + y, column + x) = other.At(y, x);
  }
}

std::string EncodePng(const Picture& picture) {
  std::vector<png_byte> colors;
  for (const Color& color : Palette()) {
    colors.insert(colors.end(), {color.red, color.green, color.blue});
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(Palette().size());
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image) + 3 * Palette().size() + 12;
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0,
                                colors.data()) == 0) {
    return "";
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace stencilgen::draw
