#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "distribute/distributed.h"
#include "driver/files.h"
#include "driver/options.h"
#include "graph/interpret.h"
#include "tools/run/frames.h"
#include "tools/run/run_inputs.h"

namespace stencilgen::driver {

/// The files of a run on ranks, which these read and write themselves, each its own part: `--in`,
/// `--out` and snapshots where they are, all else in a temporary folder.
class RanksFiles {
 public:
  RanksFiles(const distribute::Distributed& program, const RunInputs& inputs,
             const RunOptions& options, std::optional<FrameRequest> frames);
  /// Removes what ranks have left that did not get its place.
  ~RanksFiles();
  RanksFiles(const RanksFiles&) = delete;
  RanksFiles& operator=(const RanksFiles&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }
  const std::optional<FrameRequest>& frames() const { return frames_; }
  /// The program's arrays that files are of, in the order in which ranks are told their files.
  const std::vector<graph::ArrayId>& arrays() const { return arrays_; }

  /// Writes the inputs that no file holds, and the list `files` of the folder that ranks read: for
  /// each array what it is read from and written to, then by frame those of the request's arrays.
  /// What went wrong; empty where nothing did.
  std::string Prepare();
  /// What ranks have left: results by output of the program, and frames, which `take` gets.
  std::string Read(std::vector<graph::Values>& outputs, const TakeFrame& take) const;
  /// Results take their places. What went wrong; empty where nothing did.
  std::string TakePlaces();
  /// True where ranks write the array to the file that `--out` names.
  bool Writes(const std::string& array) const;

 private:
  struct Array {
    std::string name, in, out;
    bool is_output = false;
  };
  std::string PrepareArray(Array& array);
  std::string FrameFileOf(const std::string& array, std::int64_t turns) const;

  const distribute::Distributed& program_;
  const RunInputs& inputs_;
  const RunOptions& options_;
  const std::optional<FrameRequest> frames_;
  TemporaryDirectory folder_;
  FilesBeside beside_;
  std::vector<graph::ArrayId> arrays_;
  std::vector<Array> files_;  ///< by arrays_
};

}  // namespace stencilgen::driver
