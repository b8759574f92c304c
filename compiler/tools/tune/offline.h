#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/files.h"
#include "tools/tune/search_space.h"
#include "tools/tune/tune_report.h"
#include "tools/tune/tuner.h"

namespace stencilgen::driver {

/// Sets of options for a machine that is elsewhere: the default, what the choice of defaults finds
/// best, and what is best in each dimension around that; by the model, no two with the same code.
struct OfflineCandidate {
  OptionSet options;
  std::string text;  ///< the `.cu`, with its trampoline
};
std::vector<OfflineCandidate> OfflineCandidates(const TunedProgram& program,
                                                const SearchSpace& space, int jobs);

/// The files of a folder that needs nvcc and make alone: `make tune` there checks and times the
/// candidates and writes results.json. `key`: without the device and its compiler.
/// Requires: PrepareChecks(program) found sizes.
std::vector<OutputFile> OfflineFolder(const std::filesystem::path& folder,
                                      const TunedProgram& program, const TuningKey& key,
                                      const std::vector<OfflineCandidate>& candidates);

/// What a results.json says, as if it had been measured here. An error where it is broken, of
/// another program or of another version.
std::variant<TuneReport, std::string> ReadOfflineResults(const std::string& file,
                                                         const std::string& text,
                                                         const TunedProgram& program,
                                                         const TuningKey& key);

}  // namespace stencilgen::driver
