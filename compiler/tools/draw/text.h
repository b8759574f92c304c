#pragma once

#include <span>
#include <string_view>

#include "tools/draw/picture.h"

namespace stencilgen::draw {

/// The font as a TrueType file.
std::span<const unsigned char> FontFile();

/// Of one line; in pixels.
int TextWidth(std::string_view text);
/// From the top of the tallest letters to the line that they stand on.
int TextHeight();

enum class Align { Left, Middle, Right };

/// Writes a line in black. `row`: that it stands on; `column`: where it begins, has its middle or
/// ends. What lies outside of the picture is left out; what the font lacks is a box.
void DrawText(Picture& picture, int row, int column, std::string_view text, Align align);

}  // namespace stencilgen::draw
