#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "distribute/distributed.h"
#include "distribute/network.h"
#include "graph/interpret.h"
#include "stencilgen/ranks.hpp"

/// What a program costs on many machines, without running it: messages and bytes are counted, time
/// is a model.
namespace stencilgen::distribute {

/// What a rank sends for exchanges in one run. Loops that a condition may end take all turns.
struct RankTraffic {
  std::int64_t exchanges = 0, messages = 0, bytes = 0;
};

/// The grid's axes as the ranks see them, at these sizes. The program must outlive them.
std::vector<ranks::Axis> AxesOf(const Distributed& program, const graph::ParameterValues& sizes);

/// How often a run of the segment computes an operator at a point of the grid: once, or at all
/// values of its iterators that belong to the point.
double OperatorsAtPoint(const Distributed& program, std::size_t segment);
/// Elements that it reads and writes there.
double AccessesAtPoint(const Distributed& program, std::size_t segment);
/// The deepest ghosts of an exchange, by axis, in points of the grid.
Reaches PointsOf(const Distributed& program, const Exchange& exchange);

/// By rank, of a grid of ranks of that shape: what mpi::Exchange counts. `axes` may have other
/// points than the sizes say (weak scaling). Requires: all axes fit (ranks::Fits).
std::vector<RankTraffic> CountTraffic(const Distributed& program,
                                      const graph::ParameterValues& sizes,
                                      const std::vector<ranks::Axis>& axes,
                                      const std::vector<int>& shape);

/// The most turns that the program's longest outermost loop has; 1 without loops.
std::int64_t TurnsOf(const Distributed& program, const graph::ParameterValues& sizes);

/// How many ranks of the setting lie along each axis; empty where they are too many.
std::vector<int> ShapeOf(const std::vector<ranks::Axis>& axes, const RanksSetting& setting);

/// One number of ranks.
struct Prediction {
  std::vector<int> shape;  ///< ranks along each axis; empty where they are too many
  double seconds = 0;      ///< of a run
  double compute = 0;      ///< of these, what the rank with the most points computes
  double exchange = 0;     ///< what its messages take, hidden or not
  double hidden = 0;       ///< of these, during which it computes
  double collective = 0;   ///< latency of what ranks do together: reductions, conditions
  double waited() const { return seconds - compute; }
  RankTraffic most;                              ///< by what is counted, of any rank
  std::int64_t all_messages = 0, all_bytes = 0;  ///< of all ranks
};

/// A run in that setting. `one`: seconds of one machine at the sizes.
///
/// A rank computes its points as fast as one machine does, and what neighbours compute too. An
/// exchange takes the latency of its messages and the time of their bytes; as generated code does,
/// a rank computes meanwhile where the strips that it then computes twice cost less.
Prediction Predict(const Distributed& program, const RanksSetting& setting, double one);

}  // namespace stencilgen::distribute
