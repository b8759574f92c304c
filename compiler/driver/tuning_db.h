#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "driver/tuning_key.h"

namespace stencilgen::driver {

/// What tuning has found for one key.
struct TuningEntry {
  TuningKey key;
  std::string name;       ///< of the program, for people
  OptionSet options;      ///< empty: the default is not slower than anything tried
  double default_ms = 0;  ///< median of a call, in the comparison that decided
  double tuned_ms = 0;    ///< the same with the options
  double gain = 1;        ///< median of how many times as fast, over the pairs of that comparison
  int pairs = 0;
  int candidates = 0;  ///< measured
};

/// All results, in the order in which they came.
struct TuningDatabase {
  std::vector<TuningEntry> entries;
};

nlohmann::ordered_json ToJson(const TuningKey& key);
nlohmann::ordered_json ToJson(const TuningEntry& entry);
/// An error says which member is missing or of another type.
std::variant<TuningKey, std::string> KeyFromJson(const nlohmann::ordered_json& json);
std::variant<TuningEntry, std::string> EntryFromJson(const nlohmann::ordered_json& json);

/// `file:3:14: this is not JSON` where a text is none.
std::variant<nlohmann::ordered_json, std::string> ParseJson(const std::string& file,
                                                            const std::string& text,
                                                            std::size_t first_line = 1);

/// Reads a database. A file that is not there is an empty one; an error has the file and the line.
std::variant<TuningDatabase, std::string> ReadTuningDatabase(const std::filesystem::path& file);

/// Adds the entry, in place of one with the same key. Other processes may do the same at the same
/// time. The file is as it was or whole, whatever happens; one that cannot be read is left alone.
/// Returns what went wrong, empty on success.
std::optional<std::string> StoreTuningEntry(const std::filesystem::path& file,
                                            const TuningEntry& entry);

/// The file that the options ask for: `--tuning-db`, $STENCILGEN_TUNING_DB, or
/// stencilgen/tuning.json in $XDG_DATA_HOME or ~/.local/share. Empty for `none`, and where nothing
/// says where.
std::filesystem::path TuningDatabaseFile(const Options& options);

}  // namespace stencilgen::driver
