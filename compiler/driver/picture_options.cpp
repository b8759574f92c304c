#include "driver/picture_options.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "driver/option_values.h"

namespace stencilgen::driver {

namespace {

using Result = std::optional<UsageError>;

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// `[NAME=]FILE`
Result ReadPlace(std::string& array, std::string& file, std::string_view option,
                 const std::string& value, std::string_view example) {
  const std::size_t equals = value.find('=');
  array = equals == std::string::npos ? "" : value.substr(0, equals);
  file = equals == std::string::npos ? value : value.substr(equals + 1);
  if (!file.empty() && equals != 0) return std::nullopt;
  return UsageError{fmt::format("{}: `{}` names no file", option, value),
                    fmt::format("for example {}", example)};
}

/// `low:high`, two numbers that differ.
Result ReadInterval(std::pair<double, double>& where, std::string_view option,
                    std::string_view text, std::string_view example) {
  const std::size_t colon = text.find(':');
  const auto read = [](std::string_view part, double& number) {
    const auto [stop, status] = std::from_chars(part.data(), part.data() + part.size(), number);
    return status == std::errc() && stop == part.data() + part.size() && std::isfinite(number);
  };
  if (colon != std::string_view::npos && read(text.substr(0, colon), where.first) &&
      read(text.substr(colon + 1), where.second) && where.first != where.second) {
    return std::nullopt;
  }
  return UsageError{fmt::format("{}: `{}` is no two numbers that differ", option, text),
                    fmt::format("for example {} {}", option, example)};
}

Result ApplyPlot(Options& options, const std::string& value) {
  PictureOptions& picture = options.run.picture;
  return ReadPlace(picture.plot_array, picture.plot_file, "--plot", value,
                   "--plot u.png or --plot u=picture.png");
}
Result ApplyMovie(Options& options, const std::string& value) {
  PictureOptions& picture = options.run.picture;
  if (!EndsWith(value, ".gif") && !EndsWith(value, ".mp4")) {
    return UsageError{fmt::format("--movie: `{}` is no .gif and no .mp4 file", value),
                      "for example --movie u.gif or --movie u=heat.mp4"};
  }
  return ReadPlace(picture.movie_array, picture.movie_file, "--movie", value,
                   "--movie u.gif or --movie u=heat.mp4");
}
Result ApplyEvery(Options& options, const std::string& value) {
  PictureOptions& picture = options.run.picture;
  const std::size_t equals = value.find('=');
  const bool named = equals != std::string::npos;
  picture.every_parameter = named ? value.substr(0, equals) : "";
  return SetInteger<int>(picture.every, "--every",
                         "the turns from one picture or snapshot to the next",
                         named ? value.substr(equals + 1) : value, 1, 1'000'000'000);
}
Result ApplySnapshot(Options& options, const std::string& value) {
  auto pair = ReadNamedText("--snapshot", value, "u=u.npy");
  if (auto* error = std::get_if<UsageError>(&pair)) return *error;
  const auto& [name, file] = std::get<0>(pair);
  if (options.run.picture.snapshots.emplace(name, file).second) return std::nullopt;
  return UsageError{fmt::format("--snapshot: `{}` is given twice", name), "keep one of them"};
}
Result ApplyExtent(Options& options, const std::string& value) {
  const std::string_view example = "j=0:1,i=0:2.5";
  auto values = ReadNamedValues("--extent", value, example);
  if (auto* error = std::get_if<UsageError>(&values)) return *error;
  for (const auto& [name, text] : std::get<0>(values)) {
    if (auto error = ReadInterval(options.run.picture.extent[name], "--extent", text, example)) {
      return error;
    }
  }
  return std::nullopt;
}
Result ApplyRange(Options& options, const std::string& value) {
  std::pair<double, double> range;
  if (auto error = ReadInterval(range, "--range", value, "-1:1")) return error;
  if (range.first > range.second) std::swap(range.first, range.second);
  options.run.picture.range = range;
  return std::nullopt;
}
Result ApplyTitle(Options& options, const std::string& value) {
  options.run.picture.title = value;
  return std::nullopt;
}
Result ApplyPlain(Options& options, const std::string&) {
  options.run.picture.plain = true;
  return std::nullopt;
}
Result ApplyFps(Options& options, const std::string& value) {
  int fps = 0;
  auto error = SetInteger<int>(fps, "--fps", "the pictures a second", value, 1, 100);
  options.run.picture.fps = fps;
  return error;
}

}  // namespace

std::vector<OptionSpec> PictureOptionSpecs() {
  constexpr OptionGroup kGroup = OptionGroup::Data;
  return {
      {"--plot", "", "[NAME=]FILE.png", kGroup, kNo, kYes, kNo,
       "draw a copyout array: a curve, a field, the middle plane of a 3D one", ApplyPlot},
      {"--movie", "", "[NAME=]FILE.gif", kGroup, kNo, kYes, kNo,
       "draw it as it changes from turn to turn of the loop (.mp4: by ffmpeg)", ApplyMovie},
      {"--every", "", "[NAME=]N", kGroup, kNo, kYes, kNo,
       "a picture each N turns of the loop (that NAME counts): FILE-TURN.png", ApplyEvery},
      {"--snapshot", "", "NAME=FILE.npy", kGroup, kNo, kYes, kYes,
       "write a copyout array each --every N turns too: FILE-TURN.npy", ApplySnapshot},
      {"--extent", "", "i=LOW:HIGH,...", kGroup, kNo, kYes, kNo,
       "pictures: coordinates of a field's ends (default: indices)", ApplyExtent},
      {"--range", "", "LOW:HIGH", kGroup, kNo, kYes, kNo,
       "pictures: the values from dark to light (default: all that there are)", ApplyRange},
      {"--title", "", "TEXT", kGroup, kNo, kYes, kNo, "pictures: what stands above them",
       ApplyTitle},
      {"--plain", "", "", kGroup, kNo, kYes, kNo,
       "pictures: a pixel for each element, and nothing around", ApplyPlain},
      {"--fps", "", "N", kGroup, kNo, kYes, kNo, "movies: pictures a second (default 10)",
       ApplyFps},
  };
}

Result CheckPictureOptions(const PictureOptions& options) {
  if (options.plot_file == "-") {
    return UsageError{"--plot writes a file, not standard output", "give a file's name"};
  }
  if (!options.snapshots.empty() && !options.every) {
    return UsageError{"--snapshot does not know after how many turns", "add --every N"};
  }
  if (!options.movie_file.empty()) return std::nullopt;
  if (options.fps)
    return UsageError{"--fps is about movies, and there is none", "add --movie FILE.gif"};
  if (!options.plot_file.empty()) return std::nullopt;
  const bool any = (options.every && options.snapshots.empty()) || options.range || options.title ||
                   options.plain || !options.extent.empty();
  if (!any) return std::nullopt;
  return UsageError{
      "--every, --extent, --range, --title and --plain are about pictures, and there "
      "is none",
      "add --plot FILE.png or --movie FILE.gif"};
}

}  // namespace stencilgen::driver
