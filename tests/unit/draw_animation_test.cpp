#include <cstring>

#include <gif_lib.h>

#include "driver/subprocess.h"
#include "support/catch.h"
#include "tools/draw/animation.h"

using namespace stencilgen;
using namespace stencilgen::draw;

namespace {

struct Bytes {
  const std::string* text;
  std::size_t at = 0;
};

int Read(GifFileType* gif, GifByteType* to, int count) {
  auto* bytes = static_cast<Bytes*>(gif->UserData);
  const std::size_t n = std::min(static_cast<std::size_t>(count), bytes->text->size() - bytes->at);
  std::memcpy(to, bytes->text->data() + bytes->at, n);
  bytes->at += n;
  return static_cast<int>(n);
}

/// Stripes that move.
std::vector<Picture> Stripes(int count) {
  std::vector<Picture> pictures;
  for (int i = 0; i < count; ++i) {
    Picture picture(31, 17);
    for (int row = 0; row < picture.height; ++row) {
      for (int column = 0; column < picture.width; ++column) {
        picture.At(row, column) = static_cast<Ink>((7 * row + 11 * column + 40 * i) % 256);
      }
    }
    pictures.push_back(picture);
  }
  return pictures;
}

}  // namespace

TEST_CASE("a GIF file holds every pixel of every picture, their colours and the time of each") {
  const std::vector<Picture> pictures = Stripes(5);
  const std::string text = EncodeGif(pictures, 8);
  Bytes bytes{&text};
  int error = 0;
  GifFileType* gif = DGifOpen(&bytes, Read, &error);
  REQUIRE(gif != nullptr);
  REQUIRE(DGifSlurp(gif) == GIF_OK);
  REQUIRE(gif->ImageCount == 5);
  REQUIRE(gif->SColorMap->ColorCount == 256);
  for (std::size_t i = 0; i < 256; ++i) {
    const GifColorType& color = gif->SColorMap->Colors[i];
    CHECK(Color{color.Red, color.Green, color.Blue} == Palette()[i]);
  }
  for (int i = 0; i < 5; ++i) {
    const SavedImage& image = gif->SavedImages[i];
    const Picture& picture = pictures[static_cast<std::size_t>(i)];
    REQUIRE(image.ImageDesc.Width == picture.width);
    REQUIRE(image.ImageDesc.Height == picture.height);
    CHECK(std::memcmp(image.RasterBits, picture.pixels.data(), picture.pixels.size()) == 0);
    GraphicsControlBlock control{};
    REQUIRE(DGifSavedExtensionToGCB(gif, i, &control) == GIF_OK);
    CHECK(control.DelayTime == 13);  // hundredths of a second
  }
  const ExtensionBlock& loop = gif->SavedImages[0].ExtensionBlocks[0];
  CHECK(std::memcmp(loop.Bytes, "NETSCAPE2.0", 11) == 0);
  CHECK(DGifCloseFile(gif, &error) == GIF_OK);
}

TEST_CASE("an MPEG-4 file is made by ffmpeg, or the reason is said") {
  std::string error;
  const std::string movie = EncodeMp4(Stripes(5), 8, error);
  if (driver::FindProgram("ffmpeg").empty()) {
    CHECK(movie.empty());
    CHECK(error.find("`ffmpeg`") != std::string::npos);
    return;
  }
  INFO(error);
  REQUIRE(movie.size() > 100);
  CHECK(movie.substr(4, 4) == "ftyp");
}
