#pragma once

#include <vector>

#include "driver/choose_schedule.h"

namespace stencilgen::driver {

/// How many statements write arrays.
int CountOperators(const graph::Graph& graph);

/// What ChoosePlan prices, all of it within what the options give. None is listed twice.
struct CandidateLists {
  std::vector<Candidate> plain;  ///< without tiles, where the options allow that
  /// Tiles: lists of one shape each, with more and more time steps.
  std::vector<std::vector<Candidate>> tiled;
};

/// Few for long programs, whose plans take long to make; never an empty lot.
CandidateLists ListCandidates(const graph::Graph& graph, const PipelineOptions& options);

/// The candidate streamed along each other dimension that a stream may take, its threads and points
/// turned with it; none where the options say along which, or what block.
std::vector<Candidate> AlongOthers(const Candidate& candidate, const graph::Graph& graph,
                                   const PipelineOptions& options);

/// The candidate with other barriers and earlier loads, where the options leave these open.
std::vector<Candidate> Variants(const Candidate& candidate, const PipelineOptions& options);

}  // namespace stencilgen::driver
