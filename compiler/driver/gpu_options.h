#pragma once

#include <optional>
#include <string>

#include "driver/options.h"

namespace stencilgen::driver {

/// The options that shape CUDA code, as the table of options calls them: each stores one occurrence
/// of its option. Flags get an empty value.
std::optional<UsageError> ApplyBlockdim(Options& options, const std::string& value);
std::optional<UsageError> ApplyUnroll(Options& options, const std::string& value);
std::optional<UsageError> ApplyArch(Options& options, const std::string& value);
std::optional<UsageError> ApplyDeviceFile(Options& options, const std::string& value);
std::optional<UsageError> ApplyStream(Options& options, const std::string& value);
std::optional<UsageError> ApplySerialStream(Options& options, const std::string& value);
std::optional<UsageError> ApplyNoStream(Options& options, const std::string& value);
std::optional<UsageError> ApplyConcurrentStream(Options& options, const std::string& value);
std::optional<UsageError> ApplyTimeTile(Options& options, const std::string& value);
std::optional<UsageError> ApplyFusion(Options& options, const std::string& value);
std::optional<UsageError> ApplyFusionLimit(Options& options, const std::string& value);
std::optional<UsageError> ApplyFusionObjective(Options& options, const std::string& value);
std::optional<UsageError> ApplySplit(Options& options, const std::string& value);
std::optional<UsageError> ApplyFusionRecompile(Options& options, const std::string& value);
std::optional<UsageError> ApplyRecompileBypass(Options& options, const std::string& value);
std::optional<UsageError> ApplyMaxSpill(Options& options, const std::string& value);
std::optional<UsageError> ApplySharedMem(Options& options, const std::string& value);
std::optional<UsageError> ApplyShmem(Options& options, const std::string& value);
std::optional<UsageError> ApplyShuffle(Options& options, const std::string& value);
std::optional<UsageError> ApplyNoShuffle(Options& options, const std::string& value);
std::optional<UsageError> ApplyPrefetch(Options& options, const std::string& value);
std::optional<UsageError> ApplyBarriers(Options& options, const std::string& value);
std::optional<UsageError> ApplyHalo(Options& options, const std::string& value);
std::optional<UsageError> ApplyRetime(Options& options, const std::string& value);
std::optional<UsageError> ApplyNoRetime(Options& options, const std::string& value);
std::optional<UsageError> ApplyReorder(Options& options, const std::string& value);
std::optional<UsageError> ApplyReorderScore(Options& options, const std::string& value);
std::optional<UsageError> ApplyMaxPermutations(Options& options, const std::string& value);
std::optional<UsageError> ApplyDistribute(Options& options, const std::string& value);
std::optional<UsageError> ApplyCregs(Options& options, const std::string& value);
std::optional<UsageError> ApplyExplain(Options& options, const std::string& value);

}  // namespace stencilgen::driver
