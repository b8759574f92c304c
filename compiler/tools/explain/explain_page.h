#pragma once

#include <string>

#include "driver/choose_schedule.h"
#include "driver/pipeline.h"
#include "graph/graph.h"
#include "machine/gpu.h"

namespace stencilgen::driver {

/// The report of `stencilgen explain`: what `--explain` says, then the program's work and what it
/// takes at least, what each unit of the device would need alone, what other options or a faster
/// unit would change by the same model, and the steps of greedy fusion. Lines end in a newline.
/// `graph` is the program before any plan, `options` what the plan was chosen with.
std::string ExplainPage(const graph::Graph& graph, const ChosenPlan& chosen,
                        const PipelineOptions& options, const machine::Gpu& device);

}  // namespace stencilgen::driver
