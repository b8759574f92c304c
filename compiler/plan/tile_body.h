#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/body.h"
#include "kernel/value_dag.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/traffic.h"

namespace stencilgen::plan {

/// An operator's value, or a part of its scattered sum: what a plane adds to the plane that is
/// finished so many steps later.
struct TilePart {
  graph::ExprId value;
  std::size_t ahead = 0;
};
/// Of the tile's operator `op`. Parts that add nothing are left out.
std::vector<TilePart> PartsOf(const graph::Graph& graph, const Tile& tile, int op);

/// Along each iterator: how far the thread's point is from its first in the plane that is finished
/// `ahead` steps later.
std::vector<std::int64_t> OffsetOf(const Tile& tile, const std::array<int, 3>& point,
                                   std::size_t ahead);
/// How many steps later than the others the plane is finished that the statement is about.
std::size_t StepsAhead(const Tile& tile, const kernel::Statement& statement);
/// The statement's point of the thread.
std::array<int, 3> PointOf(const Tile& tile, const kernel::Statement& statement);

/// An operator's newest plane at some of a thread's points, as straight-line code. Of a scattered
/// sum: what that plane adds to each sum. Its statements are those of the planes that the sums
/// belong to, so that all parts read the elements of one plane.
struct TileBody {
  std::vector<graph::Operator> ops;  ///< of the statements: the operator, or one for each part
  kernel::Body body;                 ///< sums to which it adds are `held`
  /// It is to be computed as it stands here: that takes clearly fewer instructions than a sum after
  /// the other, since what sums have in common is computed once (passes/share_sums.h), or since
  /// products go straight to the sums of the planes to come.
  bool shared = false;
  bool has_common = false;      ///< there are values that several sums have in common
  std::int64_t arithmetic = 0;  ///< instructions, as passes::CountArithmetic has them
};

/// How a tile's sums may be computed.
struct SumRules {
  kernel::Distribute distribute = kernel::Distribute::WhereFree;
  bool share = false;  ///< where that takes clearly fewer instructions
};

/// Requires: the tile is of the graph; `points` are of a thread of it.
TileBody WriteBody(const graph::Graph& graph, const Tile& tile, int op,
                   const std::vector<std::array<int, 3>>& points, const SumRules& rules);

/// True where sums of a kernel with this schedule may be taken apart and shared: those of `--fp
/// fast`, but where each is to gather what it reads.
bool MayShareSums(const Schedule& schedule);

/// How the kernel's operators compute their sums.
TileSums FindSums(const graph::Graph& graph, const Kernel& kernel);

}  // namespace stencilgen::plan
