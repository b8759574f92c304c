#include "tools/run/ranks_files.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tools/run/npy.h"
#include "tools/run/snapshots.h"

namespace stencilgen::driver {

namespace fs = std::filesystem;

RanksFiles::RanksFiles(const distribute::Distributed& program, const RunInputs& inputs,
                       const RunOptions& options, std::optional<FrameRequest> frames)
    : program_(program), inputs_(inputs), options_(options), frames_(std::move(frames)) {
  for (const graph::ArrayId id : program.fields) {
    const graph::Array& array = program.graph.arrays[id];
    if (array.local) continue;
    arrays_.push_back(id);
    files_.push_back({array.name, {}, {}, array.copy_out});
  }
}

RanksFiles::~RanksFiles() {
  std::vector<std::string> saved;
  for (const Array& array : files_) saved.push_back(array.out);
  if (frames_) {
    for (std::string& file : SnapshotFiles(options_.picture, *frames_)) {
      saved.push_back(std::move(file));
    }
  }
  // Ranks that were ended while they wrote leave the file that was to take the place.
  std::error_code ignored;
  for (const std::string& path : saved) {
    if (!path.empty()) fs::remove(path + ".part", ignored);
  }
}

bool RanksFiles::Writes(const std::string& array) const {
  const auto wanted = options_.out.find(array);
  return wanted != options_.out.end() && !IsWrittenInPlace(wanted->second);
}

std::string RanksFiles::PrepareArray(Array& array) {
  const auto given = options_.in.find(array.name);
  if (given != options_.in.end()) {
    array.in = given->second;
  } else {
    array.in = folder() / (array.name + ".in.npy");
    const HostData& data = inputs_.Array(array.name);
    if (auto error = WriteOutputs({{array.in, EncodeNpy(data.values, data.shape, data.format)}}))
      return *error;
  }
  if (!array.is_output) return "";
  array.out = folder() / (array.name + ".out.npy");
  if (!Writes(array.name)) return "";
  const std::string& wanted = options_.out.at(array.name);
  const auto error = beside_.Add(wanted, array.out);
  return error ? fmt::format("cannot write `{}`: {}", wanted, *error) : "";
}

std::string RanksFiles::FrameFileOf(const std::string& array, std::int64_t turns) const {
  std::string snapshot = SnapshotFile(options_.picture, *frames_, array, turns);
  return snapshot.empty() ? (folder() / fmt::format("{}-{}.npy", array, turns)).string() : snapshot;
}

std::string RanksFiles::Prepare() {
  if (folder().empty()) return "cannot make a temporary folder";
  std::string list;
  for (Array& array : files_) {
    if (std::string error = PrepareArray(array); !error.empty()) return error;
    for (const std::string& name : {array.in, array.out}) list.append(name).push_back('\0');
  }
  if (frames_) {
    for (const std::int64_t turns : frames_->turns) {
      list.append(fmt::format("{}", turns)).push_back('\0');
      for (const std::string& array : frames_->arrays) {
        list.append(FrameFileOf(array, turns)).push_back('\0');
      }
    }
  }
  return WriteOutputs({{folder() / "files", std::move(list)}}).value_or("");
}

std::string RanksFiles::Read(std::vector<graph::Values>& outputs, const TakeFrame& take) const {
  const auto read = [&](const std::string& path, const std::string& array,
                        std::vector<graph::Values>& contents) -> std::string {
    const HostData& data = inputs_.Array(array);
    auto values = ReadNpy(path, data.type, data.shape, data.format);
    if (const auto* error = std::get_if<UsageError>(&values)) {
      return fmt::format("the ranks have left no array `{}`: {}", array, error->message);
    }
    contents.push_back(std::get<graph::Values>(std::move(values)));
    return "";
  };
  for (const graph::Output& output : program_.graph.outputs) {
    const std::string& name = program_.graph.arrays[output.array].name;
    const auto file = std::find_if(files_.begin(), files_.end(),
                                   [&](const Array& array) { return array.name == name; });
    if (std::string error = read(file->out, name, outputs); !error.empty()) return error;
  }
  if (!frames_ || frames_->drawn == 0) return "";
  for (const std::int64_t turns : frames_->turns) {
    std::vector<graph::Values> contents;
    for (std::size_t n = 0; n < frames_->drawn; ++n) {
      const std::string& array = frames_->arrays[n];
      std::string error = read(FrameFileOf(array, turns), array, contents);
      if (!error.empty()) return error;
    }
    take(turns, contents);
  }
  return "";
}

std::string RanksFiles::TakePlaces() {
  return beside_.TakePlaces().value_or("");
}

}  // namespace stencilgen::driver
