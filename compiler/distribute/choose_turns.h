#pragma once

#include <cstdint>
#include <optional>

#include "distribute/distributed.h"
#include "distribute/network.h"

namespace stencilgen::distribute {

/// How many turns of loops run between two exchanges, by a model: messages cost latency, ghosts
/// cost bytes, and points that two ranks compute cost time. Without a setting at the program's
/// default sizes, or 1000 points an iterator, and two ranks along each axis. Even numbers, after
/// which arrays that are swapped are home again, or all turns of a run, or 1. Requires: graph, grid
/// and collectives are set.
std::int64_t ChooseTurns(const Distributed& program, const std::optional<RanksSetting>& setting);

}  // namespace stencilgen::distribute
