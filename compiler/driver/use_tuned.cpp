#include "driver/use_tuned.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace stencilgen::driver {

namespace {

/// Values of the parameters that are known before the program runs.
std::map<std::string, std::int64_t> KnownSizes(const Options& options,
                                               const ProgramIdentity& identity) {
  std::map<std::string, std::int64_t> sizes = options.defines;
  sizes.insert(identity.defaults.begin(), identity.defaults.end());
  return sizes;
}

}  // namespace

const TuningEntry* FindTuned(const TuningDatabase& database, const Options& options,
                             const ProgramIdentity& identity, Target target,
                             const std::string& arch, const std::string& device) {
  const std::map<std::string, std::int64_t> known = KnownSizes(options, identity);
  const OptionSet given = GivenByHand(options);
  const bool cuda = target == Target::Cuda;
  const auto fits = [&](const TuningKey& key) {
    if (key.program != identity.hash || key.given != given || key.version != STENCILGEN_VERSION ||
        key.target != (cuda ? "cuda" : "cpp") || (cuda ? key.arch != arch : key.device != device)) {
      return false;
    }
    return std::all_of(
        identity.extents.begin(), identity.extents.end(), [&](const std::string& name) {
          const auto here = known.find(name);
          const auto there = key.sizes.find(name);
          return here == known.end() || (there != key.sizes.end() && there->second == here->second);
        });
  };
  using Merit = std::tuple<bool, double>;
  const auto merit = [&](const TuningKey& key) -> Merit {
    const bool same = std::all_of(known.begin(), known.end(), [&](const auto& one) {
      const auto there = key.sizes.find(one.first);
      return there != key.sizes.end() && there->second == one.second;
    });
    double points = 1;
    for (const std::string& name : identity.extents) {
      const auto there = key.sizes.find(name);
      if (there != key.sizes.end()) points *= static_cast<double>(there->second);
    }
    return {same, points};
  };
  const TuningEntry* best = nullptr;
  for (const TuningEntry& entry : database.entries) {
    if (!fits(entry.key)) continue;
    if (best == nullptr || merit(entry.key) >= merit(best->key)) best = &entry;
  }
  return best;
}

/// The entry of the one kind of GPU that has any; null where there are several.
static const TuningEntry* FindOnlyGpu(const TuningDatabase& database, const Options& options,
                                      const ProgramIdentity& identity) {
  std::map<std::string, const TuningEntry*> found;
  for (const TuningEntry& entry : database.entries) {
    const std::string& arch = entry.key.arch;
    const TuningEntry* of = FindTuned(database, options, identity, Target::Cuda, arch, "");
    if (of != nullptr) found[arch] = of;
  }
  return found.size() == 1 ? found.begin()->second : nullptr;
}

std::optional<UsageError> UseTuned(Options& options, const graph::Program& program, Target target,
                                   const std::string& gpu_arch, PipelineOptions& pipeline,
                                   std::string& note) {
  const std::filesystem::path file = TuningDatabaseFile(options);
  std::error_code ignored;
  // Where nothing was ever tuned nothing is to be paid.
  if (file.empty()) return std::nullopt;
  if (!std::filesystem::exists(file, ignored)) {
    if (options.tuning_db) note = fmt::format("there is no tuning database `{}`", file.string());
    return std::nullopt;
  }
  const auto read = ReadTuningDatabase(file);
  if (const auto* error = std::get_if<std::string>(&read)) {
    return UsageError{fmt::format("the tuning database cannot be used: {}", *error),
                      "repair or delete it, or say --tuning-db none"};
  }
  const auto& database = std::get<TuningDatabase>(read);
  if (database.entries.empty()) return std::nullopt;
  const bool named = options.arch || options.device;
  const bool said = named || !gpu_arch.empty();
  const std::string arch = named || gpu_arch.empty() ? ArchOf(options) : gpu_arch;
  const ProgramIdentity identity = IdentityOf(program);
  const TuningEntry* entry = FindTuned(database, options, identity, target, arch, CpuName());
  Options asked = options;
  if (entry == nullptr && !said && target == Target::Cuda) {
    entry = FindOnlyGpu(database, options, identity);
    if (entry != nullptr) asked.arch = entry->key.arch;
  }
  if (entry == nullptr || entry->options.empty()) return std::nullopt;
  auto tuned = WithOptions(asked, entry->options, program.interface);
  if (const auto* error = std::get_if<UsageError>(&tuned)) {
    note = fmt::format("what tuning found is left out: {}", error->message);
    return std::nullopt;
  }
  const std::optional<std::string> typed_arch = options.arch;
  PipelineOptions before = std::move(pipeline);
  options = std::get<Options>(std::move(tuned));
  pipeline = MakePipelineOptions(options, program.interface);
  pipeline.program_name = before.program_name;
  pipeline.target = before.target;
  pipeline.fusion_check = before.fusion_check;
  pipeline.fusion_foresight = before.fusion_foresight;
  pipeline.codegen.part = before.codegen.part;
  pipeline.codegen.exported = before.codegen.exported;
  pipeline.codegen.resident = before.codegen.resident;
  pipeline.codegen.tuned = fmt::format(
      "of these from the tuning database: {} ({:.3g} times as fast as the default on {})",
      ToString(entry->options), entry->gain, entry->key.device);
  note = fmt::format(
      "tuned for {} on {}: {} ({:.3g} times as fast as the default; --tuning-db "
      "none leaves it out)",
      SizesText(entry->key.sizes), entry->key.device, ToString(entry->options), entry->gain);
  if (asked.arch != typed_arch) note += fmt::format("; the code is for {}", *asked.arch);
  return std::nullopt;
}

}  // namespace stencilgen::driver
