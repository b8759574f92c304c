#include <algorithm>
#include <set>

#include "graph/nodes.h"
#include "plan/matrix_tiles.h"
#include "plan/traffic_parts.h"

namespace stencilgen::plan {
namespace {

using graph::Access;
using graph::Operator;
using graph::ParameterValues;
using graph::Range;

/// Of a kernel with a matrix tile, all turns together.
class MatrixCounter {
 public:
  MatrixCounter(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
                Traffic& traffic)
      : graph_(plan.graph),
        parameters_(parameters),
        op_(graph::OperatorOf(graph_, kernel.ops.front())),
        tile_(*kernel.matrix),
        traffic_(traffic) {}

  void Run() {
    if (!GuardsHold(op_, parameters_)) return;
    std::int64_t points = 1, threads = 1, blocks = 1;
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      const std::int64_t size = PointRanges(op_, parameters_)[n].size();
      points *= size;
      blocks *= graph::CeilDiv(size, PointsOfBlock(tile_, n));
      if (!tile_.threads.empty()) threads *= tile_.threads[n];
    }
    if (points == 0) return;
    for (const graph::NodeId node : tile_.loops) {
      turns_ *= graph::Evaluate(graph::LoopOf(graph_, node).turns, parameters_);
    }
    traffic_.points = points;
    traffic_.blocks = blocks;
    traffic_.threads = threads;
    traffic_.chunks = 1;
    // Turns of one box are under way together.
    traffic_.steps = std::max<std::int64_t>(graph::CeilDiv(turns_, tile_.depth), 1);
    traffic_.barriers = tile_.boxes.empty() ? 0 : 2 * blocks * traffic_.steps;
    traffic_.flops = points * turns_ * graph::FlopsPerPoint(graph_, op_);
    traffic_.divisions = points * turns_ * DivisionsPerPoint(graph_, op_);
    traffic_.stores = points;
    traffic_.store_bytes = points * ElementBytes(graph_, op_.result);
    CountReads();
    traffic_.cache_bytes = static_cast<double>(traffic_.load_bytes + traffic_.store_bytes);
    traffic_.compulsory_bytes += static_cast<double>(traffic_.store_bytes);
    traffic_.memory_bytes = traffic_.compulsory_bytes;
  }

 private:
  void CountReads() {
    std::set<graph::VersionId> arrays;
    for (const Access* access : FindEvaluated(graph_, op_).point) {
      if (access->indices.empty() || InConstantMemory(graph_, access->version)) continue;
      const std::int64_t bytes = ElementBytes(graph_, access->version);
      if (arrays.insert(access->version).second) {
        traffic_.compulsory_bytes += static_cast<double>(bytes * ElementsOf(access->version));
      }
      if (const SharedBox* box = tile_.Find(*access)) {
        CountBox(*box, bytes);
        continue;
      }
      const bool own = access->version == op_.background && !tile_.loops.empty();
      const std::int64_t loads = traffic_.points * (own ? 1 : turns_);
      traffic_.loads += loads;
      traffic_.load_bytes += loads * bytes;
      traffic_.direct_bytes += loads * bytes;
    }
  }

  std::int64_t ElementsOf(graph::VersionId version) const {
    std::int64_t elements = 1;
    for (const graph::LinearForm& extent : graph_.arrays[graph_.versions[version].array].extents) {
      elements *= std::max<std::int64_t>(graph::Evaluate(extent, parameters_), 0);
    }
    return elements;
  }

  /// What a block loads goes into shared memory once; a thread reads it once for all its points
  /// that differ along no dimension of it.
  void CountBox(const SharedBox& box, std::int64_t bytes) {
    std::int64_t elements = traffic_.blocks * traffic_.steps;
    for (const int extent : box.extents) elements *= extent;
    traffic_.loads += elements;
    traffic_.load_bytes += elements * bytes;
    traffic_.shared_stores += elements;
    std::int64_t own = 1;
    for (const graph::Index& index : box.access.indices) {
      const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), index.iterator);
      if (index.iterator >= 0) {
        own *= tile_.points[static_cast<std::size_t>(at - op_.iterators.begin())];
      }
    }
    const std::int64_t reads = traffic_.blocks * traffic_.threads * turns_ * own;
    traffic_.shared_loads += reads;
    traffic_.shared_bytes += (reads + elements) * bytes;
  }

  const graph::Graph& graph_;
  const ParameterValues& parameters_;
  const Operator& op_;
  const MatrixTile& tile_;
  Traffic& traffic_;
  std::int64_t turns_ = 1;
};

}  // namespace

void CountMatrix(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
                 Traffic& traffic) {
  MatrixCounter(plan, kernel, parameters, traffic).Run();
}

}  // namespace stencilgen::plan
