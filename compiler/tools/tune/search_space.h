#pragma once

#include <vector>

#include "driver/choose_schedule.h"
#include "support/fp_mode.h"
#include "tools/tune/search.h"

namespace stencilgen::driver {

/// What tuning looks through: sets to begin with, the most promising first, and what varies around
/// the fastest of them.
struct SearchSpace {
  std::vector<OptionSet> start;
  std::vector<Dimension> dimensions;
};

/// The options that ask for the schedule of a candidate, as far as there are options for it.
OptionSet OptionsOf(const Candidate& candidate, const graph::Graph& graph);

/// For CUDA: what the choice of defaults has priced and does not call hopeless, and all that can be
/// said of tiles, streams, time steps, loads, barriers, registers and orders.
/// `given` is left as it is.
SearchSpace CudaSpace(const graph::Graph& graph, const ChosenPlan& chosen,
                      const PipelineOptions& options, const OptionSet& given);

/// For C++: blocks of points, orders, tiles and threads.
SearchSpace CppSpace(const graph::Graph& graph, const graph::ParameterValues& sizes, FpMode fp,
                     int threads, const OptionSet& given);

}  // namespace stencilgen::driver
