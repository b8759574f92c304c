#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Pictures of fields of numbers.
namespace stencilgen::draw {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

/// A pixel is the number of its colour in the palette that all pictures share.
using Ink = std::uint8_t;
/// From dark violet over green to yellow, of evenly rising brightness; then the colour of what has
/// no value; then greys from black to white.
const std::array<Color, 256>& Palette();
inline constexpr Ink kNoValue = 239;
inline constexpr Ink kBlack = 240;
inline constexpr Ink kWhite = 255;
/// The ink of a place between the smallest value, 0, and the largest, 1.
Ink InkAt(double position);

/// Rows from the top.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<Ink> pixels;

  Picture(int columns, int rows, Ink ink = kWhite);
  Ink& At(int row, int column) {
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(column)];
  }
  Ink At(int row, int column) const { return const_cast<Picture&>(*this).At(row, column); }
  /// Pixels outside of the picture are left alone.
  void Fill(int row, int column, int rows, int columns, Ink ink);
  /// Requires: `other` fits in there.
  void Paste(int row, int column, const Picture& other);
};

/// The picture as a PNG file. Empty where the encoder fails.
std::string EncodePng(const Picture& picture);

}  // namespace stencilgen::draw
