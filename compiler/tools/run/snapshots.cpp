#include "tools/run/snapshots.h"

#include <cstddef>
#include <utility>

#include "driver/files.h"
#include "tools/run/npy.h"
#include "tools/run/pictures.h"

namespace stencilgen::driver {

std::string SnapshotFile(const PictureOptions& options, const FrameRequest& request,
                         const std::string& array, std::int64_t turns) {
  const auto wanted = options.snapshots.find(array);
  if (wanted == options.snapshots.end()) return "";
  return FrameFile(wanted->second, turns, request.turns.back());
}

std::string WriteSnapshots(const PictureOptions& options, const FrameRequest& request,
                           const RunInputs& inputs, std::int64_t turns,
                           const std::vector<graph::Values>& contents) {
  std::vector<OutputFile> files;
  for (std::size_t n = 0; n < request.arrays.size(); ++n) {
    std::string path = SnapshotFile(options, request, request.arrays[n], turns);
    if (path.empty()) continue;
    files.push_back({std::move(path), EncodeNpy(contents[n], inputs.Array(request.arrays[n]).shape,
                                                inputs.Array(request.arrays[n]).format)});
  }
  return WriteOutputs(files).value_or("");
}

std::vector<std::string> SnapshotFiles(const PictureOptions& options, const FrameRequest& request) {
  std::vector<std::string> files;
  for (const std::int64_t turns : request.turns) {
    for (const auto& [array, file] : options.snapshots) {
      files.push_back(SnapshotFile(options, request, array, turns));
    }
  }
  return files;
}

}  // namespace stencilgen::driver
