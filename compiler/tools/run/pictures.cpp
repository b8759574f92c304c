#include "tools/run/pictures.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "driver/option_values.h"
#include "support/check.h"
#include "tools/draw/animation.h"
#include "tools/draw/figure.h"

namespace stencilgen::driver {

namespace {

using draw::Field;
using draw::Picture;
using graph::Graph;

constexpr std::int64_t kMostOfPicture = 1024;  // elements along a side of a picture
constexpr std::int64_t kMostOfMovie = 480;     // and of one of many
constexpr int kFewest = 320;                   // pixels
constexpr std::int64_t kUsualFrames = 60;
constexpr std::int64_t kMostFrames = 1000;

/// True where `--plot` draws a picture for each of the turns; beside a movie it draws the end.
bool PlotsFrames(const PictureOptions& options) {
  return options.every && options.movie_file.empty();
}

/// The array that is drawn: the named one, the one that the file is named after, or the first.
std::string DrawnArray(const std::vector<std::string>& outputs, const std::string& named,
                       const std::string& file) {
  const std::string wanted = named.empty() ? std::filesystem::path(file).stem().string() : named;
  const bool known = std::find(outputs.begin(), outputs.end(), wanted) != outputs.end();
  return known ? wanted : outputs.front();
}

/// What an index that goes over a dimension is called: an iterator, or the turn of a loop; empty
/// where it is neither.
std::string NameOf(const Graph& graph, const graph::Index& index) {
  if (graph::IsPlain(index)) return graph.iterators[static_cast<std::size_t>(index.iterator)];
  for (const graph::ParameterId id : graph.parameters.Ids()) {
    const bool is_turn = graph.parameters[id].turn && index.iterator < 0 &&
                         index.offset == graph::LinearForm::Parameter(id);
    if (is_turn) return graph.parameters[id].name;
  }
  return "";
}

/// By dimension of the array, what walks it where the program writes it; where that is not known,
/// the last iterators.
std::vector<std::string> AxisNames(const Graph& graph, const std::string& name) {
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Operator>(&node);
    if (op == nullptr || graph.arrays[graph.versions[op->result].array].name != name) continue;
    std::vector<std::string> names;
    for (const graph::Index& index : op->target) names.push_back(NameOf(graph, index));
    if (std::find(names.begin(), names.end(), "") == names.end()) return names;
  }
  std::vector<std::string> names;
  for (const graph::Array& array : graph.arrays) {
    if (array.local || array.name != name) continue;
    const std::size_t iterators = graph.iterators.size();
    for (std::size_t d = 0; d < array.rank(); ++d) {
      const bool there = iterators >= array.rank();
      names.push_back(there ? graph.iterators[iterators - array.rank() + d] : "");
    }
    break;
  }
  return names;
}

draw::Axis MakeAxis(const std::string& name, std::int64_t elements, const PictureOptions& options) {
  const auto given = options.extent.find(name);
  if (given != options.extent.end()) return {name, given->second.first, given->second.second};
  return {name, 0, static_cast<double>(elements)};
}

/// What is said around pictures of one array.
draw::Labels MakeLabels(const Graph& graph, const RunInputs& inputs, const std::string& array,
                        const PictureOptions& options) {
  const std::vector<std::string> names = AxisNames(graph, array);
  const std::vector<std::int64_t>& shape = inputs.Array(array).shape;
  draw::Labels labels;
  labels.title = options.title.value_or(fmt::format("{}: {}", graph.name, array));
  labels.across = MakeAxis(names.back(), shape.back(), options);
  if (shape.size() > 1) {
    labels.down = MakeAxis(names[names.size() - 2], shape[shape.size() - 2], options);
  }
  return labels;
}

draw::Range RangeOf(const std::vector<Field>& fields, const PictureOptions& options) {
  draw::Range range;
  if (options.range) return {options.range->first, options.range->second};
  for (const Field& field : fields) range.Include(field);
  return range;
}

Picture DrawOne(const Field& field, const draw::Range& range, const draw::Labels& labels,
                const PictureOptions& options) {
  constexpr int kFewestPlain = 256;
  const auto longest = static_cast<int>(std::max(field.rows, field.columns));
  if (!options.plain) return draw::DrawFigure(field, range, labels, kFewest);
  return draw::DrawField(field, range, std::max(1, kFewestPlain / longest));
}

std::vector<Picture> DrawFrames(const Graph& graph, const RunInputs& inputs, const Frames& frames,
                                const std::string& array, const PictureOptions& options) {
  const auto at = std::find(frames.arrays.begin(), frames.arrays.end(), array);
  STENCILGEN_CHECK(at != frames.arrays.end());
  const std::vector<Field>& fields =
      frames.fields[static_cast<std::size_t>(at - frames.arrays.begin())];
  const draw::Range range = RangeOf(fields, options);
  const draw::Labels labels = MakeLabels(graph, inputs, array, options);
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    draw::Labels own = labels;
    own.title += fmt::format("{}after {} turns", own.title.empty() ? "" : ", ", frames.turns[i]);
    pictures.push_back(DrawOne(fields[i], range, own, options));
  }
  // Titles of many digits may make some wider than others.
  int width = 0;
  for (const Picture& picture : pictures) width = std::max(width, picture.width);
  for (Picture& picture : pictures) {
    if (picture.width == width) continue;
    Picture wider(width, picture.height);
    wider.Paste(0, 0, picture);
    picture = std::move(wider);
  }
  return pictures;
}

std::optional<UsageError> CheckExtents(const Graph& graph, const PictureOptions& options) {
  for (const auto& [name, ends] : options.extent) {
    std::vector<std::string> known = graph.iterators;
    for (const graph::Parameter& parameter : graph.parameters) {
      if (parameter.turn) known.push_back(parameter.name);
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return UsageError{fmt::format("--extent: the program has no iterator `{}`", name),
                      NameHint(name, known, "iterators")};
  }
  return std::nullopt;
}

}  // namespace

std::string FrameFile(const std::string& file, std::int64_t turns, std::int64_t most) {
  const std::filesystem::path path(file);
  const auto digits = static_cast<int>(fmt::format("{}", most).size());
  const std::string name =
      fmt::format("{}-{:0{}}{}", path.stem().string(), turns, digits, path.extension().string());
  return (path.parent_path() / name).string();
}

bool WantsFrames(const PictureOptions& options) {
  return !options.movie_file.empty() || options.every;
}

std::optional<UsageError> CheckPictures(const Graph& graph, const PictureOptions& options) {
  const bool any = !options.plot_file.empty() || !options.movie_file.empty();
  if (any && graph.outputs.empty()) {
    return UsageError{"there is nothing to draw: the program copies no array out",
                      "add `copyout NAME;` to the program"};
  }
  return CheckExtents(graph, options);
}

std::variant<FrameRequest, UsageError> RequestFrames(const Graph& graph, const RunInputs& inputs,
                                                     const PictureOptions& options) {
  const auto found = FindTurns(graph, options.every_parameter);
  if (const auto* error = std::get_if<UsageError>(&found)) return *error;
  FrameRequest request;
  request.parameter = std::get<graph::ParameterId>(found);
  request.goes_on = GoesOn(graph, request.parameter);
  const std::vector<std::string> outputs = OutputNames(graph);
  const auto add = [&](const std::string& named, const std::string& file) {
    if (!file.empty()) request.arrays.push_back(DrawnArray(outputs, named, file));
  };
  add(options.movie_array, options.movie_file);
  if (PlotsFrames(options)) add(options.plot_array, options.plot_file);
  if (request.arrays.size() > 1 && request.arrays[0] == request.arrays[1])
    request.arrays.pop_back();
  request.drawn = request.arrays.size();
  for (const auto& [array, file] : options.snapshots) {
    const auto& all = request.arrays;
    if (std::find(all.begin(), all.end(), array) == all.end()) request.arrays.push_back(array);
  }

  const std::string& name = graph.parameters[request.parameter].name;
  const std::int64_t all = inputs.parameters[request.parameter.index];
  const std::int64_t every = options.every.value_or((all + kUsualFrames - 1) / kUsualFrames);
  if (every > all) {
    return UsageError{fmt::format("--every {}: the loop has {} turns", every, all),
                      fmt::format("give more of them with -D {}=VALUE", name)};
  }
  if (request.drawn > 0 && all / every > kMostFrames) {
    return UsageError{
        fmt::format("--every {}: {} turns make more than {} pictures", every, all, kMostFrames),
        fmt::format("--every {} makes {}", (all + kUsualFrames - 1) / kUsualFrames, kUsualFrames)};
  }
  for (std::int64_t turns = every; turns <= all; turns += every) request.turns.push_back(turns);
  for (const std::string& array : request.arrays) {
    for (const graph::Array& one : graph.arrays) {
      if (one.local || one.name != array || one.rank() == 0) continue;
      for (const auto& [parameter, factor] : one.extents.front().terms) {
        if (parameter != request.parameter) continue;
        return UsageError{
            fmt::format("pictures over time: `{}` is as long as there are turns", array),
            "leave --every out to draw it at the end"};
      }
    }
  }
  return request;
}

Frames BeginFrames(const RunInputs& inputs, const FrameRequest& request,
                   const PictureOptions& options) {
  Frames frames;
  frames.arrays.assign(request.arrays.begin(),
                       request.arrays.begin() + static_cast<std::ptrdiff_t>(request.drawn));
  frames.fields.resize(request.drawn);
  std::vector<graph::Values> contents;
  for (const std::string& name : frames.arrays) {
    if (inputs.Array(name).has_value) contents.push_back(inputs.Array(name).values);
  }
  if (contents.size() == request.drawn) AddFrame(frames, inputs, 0, contents, options);
  return frames;
}

void AddFrame(Frames& frames, const RunInputs& inputs, std::int64_t turns,
              const std::vector<graph::Values>& contents, const PictureOptions& options) {
  const std::int64_t most = options.movie_file.empty() ? kMostOfPicture : kMostOfMovie;
  frames.turns.push_back(turns);
  for (std::size_t i = 0; i < frames.arrays.size(); ++i) {
    const auto& shape = inputs.Array(frames.arrays[i]).shape;
    frames.fields[i].push_back(draw::SampleField(contents[i], {}, shape, most));
  }
}

std::vector<OutputFile> DrawPictures(const Graph& graph, const RunInputs& inputs,
                                     const std::vector<graph::Values>& outputs,
                                     const std::vector<std::uint8_t>* defined,
                                     const std::optional<Frames>& frames,
                                     const PictureOptions& options, std::string& error) {
  std::vector<OutputFile> files;
  const std::vector<std::string> names = OutputNames(graph);
  if (!options.movie_file.empty()) {
    const std::string array = DrawnArray(names, options.movie_array, options.movie_file);
    const std::vector<Picture> pictures = DrawFrames(graph, inputs, *frames, array, options);
    constexpr int kUsualRate = 10;
    const int fps = options.fps.value_or(kUsualRate);
    const bool gif = std::filesystem::path(options.movie_file).extension() == ".gif";
    files.push_back({options.movie_file,
                     gif ? draw::EncodeGif(pictures, fps) : draw::EncodeMp4(pictures, fps, error)});
  }
  if (options.plot_file.empty()) return files;
  const std::string array = DrawnArray(names, options.plot_array, options.plot_file);
  if (PlotsFrames(options)) {
    const std::vector<Picture> pictures = DrawFrames(graph, inputs, *frames, array, options);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      files.push_back({FrameFile(options.plot_file, frames->turns[i], frames->turns.back()),
                       draw::EncodePng(pictures[i])});
    }
    return files;
  }
  const auto at =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), array) - names.begin());
  const std::vector<std::uint8_t> everywhere;
  const Field field = draw::SampleField(outputs[at], defined == nullptr ? everywhere : defined[at],
                                        inputs.Array(array).shape, kMostOfPicture);
  files.push_back({options.plot_file,
                   draw::EncodePng(DrawOne(field, RangeOf({field}, options),
                                           MakeLabels(graph, inputs, array, options), options))});
  return files;
}

}  // namespace stencilgen::driver
