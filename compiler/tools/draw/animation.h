#pragma once

#include <string>
#include <vector>

#include "tools/draw/picture.h"

namespace stencilgen::draw {

/// Pictures one after the other as an animated GIF file that begins again at its end.
/// Requires: at least one picture, all of one size; frames_per_second > 0.
std::string EncodeGif(const std::vector<Picture>& pictures, double frames_per_second);

/// The same as an MPEG-4 file, made by the program `ffmpeg`, which must be in PATH; empty, and the
/// reason in `error`, where it is not or fails.
std::string EncodeMp4(const std::vector<Picture>& pictures, double frames_per_second,
                      std::string& error);

}  // namespace stencilgen::draw
