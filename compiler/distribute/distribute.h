#pragma once

#include <optional>
#include <string>
#include <vector>

#include "distribute/distributed.h"
#include "distribute/network.h"
#include "support/diagnostics.h"

namespace stencilgen::distribute {

struct DistributeOptions {
  std::int64_t together = 0;  ///< turns of a loop between two exchanges; 0: chosen by a model
  std::optional<RanksSetting> setting = {};  ///< for which the model chooses; else a usual one
};

/// Makes of a program for one machine one for many (README.md). What cannot be distributed is
/// reported, with its place.
/// Requires: graph::Verify(graph) is empty. Ensures: empty exactly when an error was reported; else
/// graph::Verify of each segment is empty, and so is Verify(result).
std::optional<Distributed> Distribute(const graph::Graph& graph, const DistributeOptions& options,
                                      DiagnosticSink& sink);

/// What is wrong with the exchanges, in words: ghosts that are read before they have their values,
/// an exchange of what nobody reads, ghosts without room. Empty: nothing. It follows the values
/// forward, and so shares nothing with what placed the exchanges.
std::vector<std::string> Verify(const Distributed& program);

}  // namespace stencilgen::distribute
