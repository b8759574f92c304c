#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "distribute/distributed.h"
#include "graph/interpret.h"

namespace stencilgen::testing {

/// What a distributed program has left, and what it did for it.
struct DistributedResult {
  std::string error;                             ///< empty on success
  std::map<std::string, graph::Values> outputs;  ///< whole arrays, by name
  int exchanges = 0;
};

/// Runs a distributed program in this process: the interpreter runs each segment for one rank after
/// the other, exchanges copy in between. A rank's ghosts begin with numbers that are no one's.
/// `ranks`: by axis. Empty where a rank would have fewer points than ghosts.
std::optional<DistributedResult> RunDistributed(const distribute::Distributed& program,
                                                const graph::ParameterValues& parameters,
                                                const std::map<std::string, graph::Values>& inputs,
                                                const std::vector<std::int64_t>& ranks);

}  // namespace stencilgen::testing
