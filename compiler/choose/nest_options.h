#pragma once

#include <vector>

#include "graph/linear.h"
#include "machine/cpu.h"
#include "passes/reorder.h"
#include "plan/schedule.h"

namespace stencilgen::choose {

/// What is given of the loop nests of a program for a CPU; the rest is chosen.
struct NestOptions {
  plan::Fusion fusion = plan::Fusion::Greedy;  ///< which statements share a nest
  bool strict = false;                         ///< sums are in the program's order
  passes::ReorderOptions reorder = {};         ///< of vectors; None: no vectors
  bool distribute = false;                     ///< any factor over sums before reordering
  /// How many points are computed together is chosen where that pays; else kernels' schedules say
  /// it.
  bool choose_points = false;
  /// Points of a tile by the program's iterators; 0: not tiled. Empty: as is best. A statement's
  /// first iterator never is tiled: its threads share that.
  std::vector<int> tile = {};
  int threads = 0;         ///< of a loop; 0: as OpenMP sees fit
  bool fit_caches = true;  ///< arrays beyond the caches have nests of their own (fit_caches.h)
  /// That nests are chosen for; without values of all parameters, traffic is not known.
  graph::ParameterValues sizes = {};
  machine::Cpu cpu = machine::DefaultCpu();
};

}  // namespace stencilgen::choose
