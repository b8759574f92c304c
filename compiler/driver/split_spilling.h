#pragma once

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "graph/graph.h"

namespace stencilgen::driver {

/// Where kernels of a program of several statements spill in whatever order (`--reorder auto`), the
/// program split into more kernels without tiles ([S] 4.3.4), if that should take less time, which
/// what is spilled adds to as so many bytes of memory; else `chosen` itself. A split plan is only
/// compiled where its own traffic leaves it a chance.
/// Requires: `chosen` is the graph's with these options, and so is the planner;
/// options.count_spills is there.
ChosenPlan SplitWhereSpilling(ChosenPlan chosen, const graph::Graph& graph,
                              const PipelineOptions& options, CandidatePlanner& planner);

}  // namespace stencilgen::driver
