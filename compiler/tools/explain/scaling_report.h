#pragma once

#include <optional>
#include <string>

#include "driver/choose_schedule.h"
#include "driver/options.h"
#include "graph/graph.h"
#include "support/diagnostics.h"

namespace stencilgen::driver {

/// `stencilgen explain --ranks`: for each number of ranks the grid, the turns between two exchanges
/// that take least, messages and bytes of a rank, time and efficiency, by distribute::Predict; as
/// text, or JSON where the options say so. `chosen`: the plan for one machine, whose predicted time
/// ranks share. Empty exactly where the program cannot be distributed: then errors are in the sink.
std::optional<std::string> ScalingText(const graph::Graph& graph, const ChosenPlan& chosen,
                                       const Options& options, DiagnosticSink& sink);

}  // namespace stencilgen::driver
