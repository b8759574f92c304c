#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/options.h"
#include "graph/interpret.h"
#include "tools/run/frames.h"
#include "tools/run/run_inputs.h"

/// Files of arrays as they are after some turns of a program's loop, for runs that go on there.
namespace stencilgen::driver {

/// The file that the options ask for, of what the array holds after so many of the request's turns;
/// empty where they do not ask for it.
std::string SnapshotFile(const PictureOptions& options, const FrameRequest& request,
                         const std::string& array, std::int64_t turns);

/// Writes those of the request's arrays. What went wrong; empty where nothing did.
std::string WriteSnapshots(const PictureOptions& options, const FrameRequest& request,
                           const RunInputs& inputs, std::int64_t turns,
                           const std::vector<graph::Values>& contents);

/// The files of all turns, in order.
std::vector<std::string> SnapshotFiles(const PictureOptions& options, const FrameRequest& request);

}  // namespace stencilgen::driver
