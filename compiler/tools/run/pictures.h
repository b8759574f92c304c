#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/files.h"
#include "driver/options.h"
#include "graph/graph.h"
#include "graph/interpret.h"
#include "tools/draw/field.h"
#include "tools/run/frames.h"
#include "tools/run/run_inputs.h"

/// The pictures and movies of results that `run` draws, and its snapshots.
namespace stencilgen::driver {

/// Results over time, as they are drawn: one line an array of the request.
struct Frames {
  std::vector<std::string> arrays;
  std::vector<std::int64_t> turns;               ///< of each picture, from 0 on
  std::vector<std::vector<draw::Field>> fields;  ///< [array][picture]
};

/// True where the options ask for pictures over time.
bool WantsFrames(const PictureOptions& options);

/// What the options ask for and the program does not have; empty where there is nothing.
std::optional<UsageError> CheckPictures(const graph::Graph& graph, const PictureOptions& options);

/// What has to be computed for them. An error where the program does not fit the options.
/// Requires: WantsFrames. The parameter that counts turns has no fixed value in the graph.
std::variant<FrameRequest, UsageError> RequestFrames(const graph::Graph& graph,
                                                     const RunInputs& inputs,
                                                     const PictureOptions& options);

/// `u-0040.npy` for `u.npy`, of at most `most` turns: names that sort as the turns do.
std::string FrameFile(const std::string& file, std::int64_t turns, std::int64_t most);

/// Frames with what the arrays hold before the first turn, where that is known of all of them.
Frames BeginFrames(const RunInputs& inputs, const FrameRequest& request,
                   const PictureOptions& options);
/// Adds what they hold after some turns.
void AddFrame(Frames& frames, const RunInputs& inputs, std::int64_t turns,
              const std::vector<graph::Values>& contents, const PictureOptions& options);

/// The files that the options ask for. `outputs` and `defined`: by output of the graph, what is
/// drawn of the end, and which elements have a value (null: all of them). What went wrong in
/// `error`; empty where nothing did.
std::vector<OutputFile> DrawPictures(const graph::Graph& graph, const RunInputs& inputs,
                                     const std::vector<graph::Values>& outputs,
                                     const std::vector<std::uint8_t>* defined,
                                     const std::optional<Frames>& frames,
                                     const PictureOptions& options, std::string& error);

}  // namespace stencilgen::driver
