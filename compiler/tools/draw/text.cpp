#include "tools/draw/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/check.h"

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb_truetype.h>

namespace stencilgen::draw {

namespace {

constexpr float kPixels = 15;  // from the lowest to the highest point of letters

struct Font {
  stbtt_fontinfo info{};
  float scale = 0;

  Font() {
    const auto bytes = FontFile();
    STENCILGEN_CHECK(stbtt_InitFont(&info, bytes.data(), 0) != 0);
    scale = stbtt_ScaleForPixelHeight(&info, kPixels);
  }
  float Advance(int letter) const {
    int advance = 0;
    int bearing = 0;
    stbtt_GetCodepointHMetrics(&info, letter, &advance, &bearing);
    return scale * static_cast<float>(advance);
  }
};

const Font& TheFont() {
  static const Font kFont;
  return kFont;
}

/// The letters of UTF-8 text; a byte that is none stands for itself.
std::vector<int> Letters(std::string_view text) {
  std::vector<int> letters;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    int letter = more == 0 ? first : first & (0x3F >> more);
    const bool whole = i + more < text.size();
    for (std::size_t k = 1; whole && k <= more; ++k) {
      letter = letter << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    letters.push_back(whole ? letter : first);
    i += whole ? more + 1 : 1;
  }
  return letters;
}

/// Draws over what is there, which is white, or another letter.
void DrawLetter(Picture& picture, int row, float column, int letter) {
  const Font& font = TheFont();
  const float whole = std::floor(column);
  int width = 0;
  int height = 0;
  int left = 0;
  int top = 0;
  unsigned char* ink = stbtt_GetCodepointBitmapSubpixel(
      &font.info, font.scale, font.scale, column - whole, 0, letter, &width, &height, &left, &top);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int to_row = row + top + y;
      const int to_column = static_cast<int>(whole) + left + x;
      if (to_row < 0 || to_row >= picture.height) continue;
      if (to_column < 0 || to_column >= picture.width) continue;
      const int grey = kWhite - ink[y * width + x] * (kWhite - kBlack) / 255;
      Ink& pixel = picture.At(to_row, to_column);
      pixel = static_cast<Ink>(std::min(grey, static_cast<int>(std::max(pixel, kBlack))));
    }
  }
  stbtt_FreeBitmap(ink, nullptr);
}

}  // namespace

int TextWidth(std::string_view text) {
  float width = 0;
  for (const int letter : Letters(text)) width += TheFont().Advance(letter);
  return static_cast<int>(std::ceil(width));
}

int TextHeight() {
  int left = 0;
  int bottom = 0;
  int right = 0;
  int top = 0;
  stbtt_GetCodepointBox(&TheFont().info, 'H', &left, &bottom, &right, &top);
  return static_cast<int>(std::lround(TheFont().scale * static_cast<float>(top)));
}

void DrawText(Picture& picture, int row, int column, std::string_view text, Align align) {
  const int width = align == Align::Left ? 0 : TextWidth(text);
  auto at = static_cast<float>(align == Align::Middle ? column - width / 2 : column - width);
  for (const int letter : Letters(text)) {
    DrawLetter(picture, row, at, letter);
    at += TheFont().Advance(letter);
  }
}

}  // namespace stencilgen::draw
