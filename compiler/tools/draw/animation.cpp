#include "tools/draw/animation.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <gif_lib.h>

#include "driver/files.h"
#include "driver/subprocess.h"
#include "support/check.h"

namespace stencilgen::draw {

namespace {

int Append(GifFileType* gif, const GifByteType* bytes, int count) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  return count;
}

struct FreeColors {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};
using Colors = std::unique_ptr<ColorMapObject, FreeColors>;

Colors MakeColors() {
  std::vector<GifColorType> colors;
  for (const Color& color : Palette()) colors.push_back({color.red, color.green, color.blue});
  return Colors(GifMakeMapObject(static_cast<int>(colors.size()), colors.data()));
}

/// That the animation begins again at its end, without end: Netscape's extension.
bool PutLoop(GifFileType* gif) {
  const std::string name = "NETSCAPE2.0";
  const GifByteType forever[] = {1, 0, 0};
  return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
         EGifPutExtensionBlock(gif, static_cast<int>(name.size()), name.data()) == GIF_OK &&
         EGifPutExtensionBlock(gif, sizeof forever, forever) == GIF_OK &&
         EGifPutExtensionTrailer(gif) == GIF_OK;
}

bool PutPicture(GifFileType* gif, const Picture& picture, int hundredths) {
  GraphicsControlBlock control{};
  control.DisposalMode = DISPOSE_DO_NOT;
  control.DelayTime = hundredths;
  control.TransparentColor = NO_TRANSPARENT_COLOR;
  GifByteType packed[4];
  const auto size = static_cast<int>(EGifGCBToExtension(&control, packed));
  if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, size, packed) != GIF_OK ||
      EGifPutImageDesc(gif, 0, 0, picture.width, picture.height, false, nullptr) != GIF_OK) {
    return false;
  }
  std::vector<GifPixelType> pixels(picture.pixels.begin(), picture.pixels.end());
  for (int row = 0; row < picture.height; ++row) {
    if (EGifPutLine(
            gif, &pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width)],
            picture.width) != GIF_OK) {
      return false;
    }
  }
  return true;
}

/// Three bytes a pixel, one picture after the other. Sides are even: most encoders ask for that.
bool WriteFrames(const std::string& path, const std::vector<Picture>& pictures, int width,
                 int height) {
  std::ofstream file(path, std::ios::binary);
  for (const Picture& picture : pictures) {
    std::string frame;
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        const bool inside = row < picture.height && column < picture.width;
        const Color color = Palette()[inside ? picture.At(row, column) : kWhite];
        for (const auto part : {color.red, color.green, color.blue}) {
          frame.push_back(static_cast<char>(part));
        }
      }
    }
    file << frame;
  }
  file.close();
  return file.good();
}

}  // namespace

std::string EncodeGif(const std::vector<Picture>& pictures, double frames_per_second) {
  STENCILGEN_CHECK(!pictures.empty() && frames_per_second > 0);
  std::string bytes;
  int error = 0;
  GifFileType* gif = EGifOpen(&bytes, Append, &error);
  STENCILGEN_CHECK(gif != nullptr);
  // Viewers slow down what is faster than fifty pictures a second.
  const int hundredths = std::max(2, static_cast<int>(std::lround(100 / frames_per_second)));
  const Picture& first = pictures.front();
  const Colors colors = MakeColors();
  EGifSetGifVersion(gif, true);
  bool good =
      EGifPutScreenDesc(gif, first.width, first.height, 8, kWhite, colors.get()) == GIF_OK &&
      PutLoop(gif);
  for (const Picture& picture : pictures) {
    STENCILGEN_CHECK(picture.width == first.width && picture.height == first.height);
    good = good && PutPicture(gif, picture, hundredths);
  }
  good = EGifCloseFile(gif, &error) == GIF_OK && good;
  STENCILGEN_CHECK(good);  // it is written to memory
  return bytes;
}

std::string EncodeMp4(const std::vector<Picture>& pictures, double frames_per_second,
                      std::string& error) {
  STENCILGEN_CHECK(!pictures.empty() && frames_per_second > 0);
  const std::string ffmpeg = driver::FindProgram("ffmpeg");
  if (ffmpeg.empty()) {
    error = "a movie in an .mp4 file needs the program `ffmpeg`, and it is not in PATH";
    return "";
  }
  const driver::TemporaryDirectory directory;
  const std::string frames = directory.path() / "frames.rgb";
  const std::string movie = directory.path() / "movie.mp4";
  const int width = (pictures.front().width + 1) / 2 * 2;
  const int height = (pictures.front().height + 1) / 2 * 2;
  if (directory.path().empty() || !WriteFrames(frames, pictures, width, height)) {
    error = "cannot write the pictures of the movie to a temporary folder";
    return "";
  }
  const auto result = driver::RunProcess(
      {ffmpeg, "-nostdin", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
       fmt::format("{}x{}", width, height), "-r", fmt::format("{}", frames_per_second), "-i",
       frames, "-pix_fmt", "yuv420p", "-movflags", "+faststart", movie});
  std::string reason;
  std::string bytes;
  if (result.status == 0) bytes = driver::ReadInput(movie, reason).value_or("");
  if (bytes.empty()) {
    error = fmt::format("ffmpeg cannot make the movie ({}):\n{}", driver::HowItEnded(result),
                        result.output);
  }
  return bytes;
}

}  // namespace stencilgen::draw
