#pragma once

#include <filesystem>
#include <string>

#include "driver/tuning_db.h"
#include "tools/tune/search.h"

namespace stencilgen::driver {

/// Everything `stencilgen tune` has to say at its end.
struct TuneReport {
  TuningEntry entry;
  std::filesystem::path file;  ///< where it is kept
  std::size_t tried = 0, failed = 0, same = 0;
  std::string first_failure;   ///< of a set of options that should have worked
  double seconds = 0;          ///< of all processes
  std::string undecided;       ///< why nothing new was decided; empty where it was
  std::string measured_sizes;  ///< where they are others than those of the key
};

/// What a search has found, for the database. Requires: result.ended.
TuningEntry MakeEntry(const TuningKey& key, const std::string& name, const SearchResult& result);

/// In words, why the search could not say what is faster; empty where it could.
std::string WhyUndecided(const SearchResult& result);

/// Counts of the trials.
void CountTrials(const std::vector<Trial>& trials, TuneReport& report);

/// For people: a few lines.
std::string ReportText(const TuneReport& report);
/// One JSON object on one line.
std::string ReportJson(const TuneReport& report);

}  // namespace stencilgen::driver
