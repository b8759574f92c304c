#include "plan/traffic.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "graph/nodes.h"
#include "graph/reduction.h"
#include "graph/regions.h"
#include "graph/slow_operations.h"
#include "graph/walk.h"
#include "plan/operator_facts.h"
#include "plan/read_rows.h"
#include "plan/tile_body.h"
#include "plan/traffic_parts.h"
#include "plan/windows.h"

namespace stencilgen::plan {

using graph::Access;
using graph::ExprId;
using graph::Graph;
using graph::Operator;
using graph::ParameterValues;
using graph::Range;
using graph::VersionId;

namespace {

/// A kernel of one operator whose threads compute single points, or walk along a stream; or of
/// reductions and what makes their operands.
class PointCounter {
 public:
  PointCounter(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
               Traffic& traffic)
      : plan_(plan),
        graph_(plan.graph),
        kernel_(kernel),
        parameters_(parameters),
        reduction_(FindReduction(graph_, kernel.ops)),
        op_(reduction_ != nullptr ? *reduction_ : graph::OperatorOf(graph_, kernel.ops.front())),
        traffic_(traffic) {
    FindAccesses();
  }

  void Run() {
    if (!GuardsHold(op_, parameters_)) return;
    traffic_.points = 1;
    ranges_ = PointRanges(op_, parameters_);
    for (const Range& range : ranges_) traffic_.points *= range.size();
    if (traffic_.points == 0) return;
    if (reduction_ != nullptr) {
      SetLanes();
    } else {
      SetGrid();
    }
    for (const VersionId version : StoredVersions(plan_, kernel_)) {
      const Operator& maker = graph::OperatorOf(graph_, graph_.versions[version].node);
      const std::int64_t stores = maker.reduction ? lanes_ : traffic_.points;
      traffic_.stores += stores;
      traffic_.store_bytes += stores * ElementBytes(graph_, version);
    }
    for (const graph::NodeId node : kernel_.ops) {
      const Operator& op = graph::OperatorOf(graph_, node);
      traffic_.flops += traffic_.points * graph::FlopsPerPoint(graph_, op);
      traffic_.divisions += traffic_.points * DivisionsPerPoint(graph_, op);
    }
    CountLoads();
    CountBytes();
    const std::int64_t bytes = traffic_.load_bytes + traffic_.store_bytes;
    if (kernel_.schedule.unroll[0] > 1) traffic_.strided_bytes = bytes;
  }

 private:
  /// What the operators read that none of them has made at the point.
  void FindAccesses() {
    std::set<VersionId> made;
    const auto add = [&](const std::vector<const Access*>& from, std::vector<const Access*>& to) {
      std::copy_if(from.begin(), from.end(), std::back_inserter(to),
                   [&](const Access* access) { return made.count(access->version) == 0; });
    };
    for (const graph::NodeId node : kernel_.ops) {
      const Operator& op = graph::OperatorOf(graph_, node);
      const EvaluatedAccesses own = FindEvaluated(graph_, op);
      add(own.point, evaluated_.point);
      add(own.uniform, evaluated_.uniform);
      made.insert(op.result);
    }
  }

  void SetGrid() {
    traffic_.blocks = 1;
    traffic_.threads = 1;
    traffic_.chunks = 1;
    traffic_.steps = 1;
    const std::size_t count = ranges_.size();
    for (std::size_t d = 0; d < count; ++d) {
      const std::size_t axis = count - 1 - d;
      if (kernel_.schedule.stream && op_.iterators[d] == kernel_.schedule.stream->iterator) {
        constexpr std::int64_t kMostBlocks = 65535;  // along an axis but x
        const std::int64_t size = ranges_[d].size();
        const std::int64_t wished = kernel_.schedule.stream->chunk;
        const std::int64_t chunk =
            wished == 0 ? size : std::max(wished, graph::CeilDiv(size, kMostBlocks));
        traffic_.chunks = graph::CeilDiv(size, chunk);
        traffic_.steps = size;
        traffic_.blocks *= traffic_.chunks;
        tile_.push_back(std::min(chunk, size));
        continue;
      }
      const std::int64_t points =
          std::int64_t{kernel_.schedule.block[axis]} * kernel_.schedule.unroll[axis];
      traffic_.blocks *= graph::CeilDiv(ranges_[d].size(), points);
      traffic_.threads *= kernel_.schedule.block[axis];
      tile_.push_back(std::min(points, ranges_[d].size()));
    }
  }

  /// A thread a lane; those without a point leave.
  void SetLanes() {
    const std::int64_t lanes = graph::LanesOf(*op_.reduction);
    traffic_.threads = std::min(lanes, kLanesOfBlock);
    traffic_.blocks = lanes / traffic_.threads;
    traffic_.chunks = traffic_.steps = 1;
    lanes_ = 1;
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      lanes_ *= std::min(op_.reduction->lanes[d], ranges_[d].size());
      tile_.push_back(ranges_[d].size());
    }
  }

  void CountLoads() {
    for (const Access* access : evaluated_.uniform) {
      AddLoads(access->version,
               reduction_ != nullptr ? lanes_ : traffic_.blocks * traffic_.threads);
    }
    for (const Access* access : evaluated_.point) {
      const bool held =
          std::any_of(kernel_.windows.begin(), kernel_.windows.end(),
                      [&](const Window& window) { return PlaceIn(window, *access) >= 0; });
      if (!held) AddLoads(access->version, traffic_.points);
    }
    for (const Window& window : kernel_.windows) {
      // Each walk fills the window but for the plane that every step loads.
      const std::int64_t columns = traffic_.points / traffic_.steps;
      AddLoads(window.version,
               traffic_.points + (window.last - window.first) * columns * traffic_.chunks);
    }
  }
  void AddLoads(VersionId version, std::int64_t elements) {
    if (InConstantMemory(graph_, version)) return;
    traffic_.loads += elements;
    traffic_.load_bytes += elements * ElementBytes(graph_, version);
    traffic_.direct_bytes = traffic_.load_bytes;
  }

  /// A block reads its rows once from the second level; memory gives each element once.
  void CountBytes() {
    std::map<VersionId, std::vector<const Access*>> read;
    for (const Access* access : evaluated_.point) {
      if (!InConstantMemory(graph_, access->version)) read[access->version].push_back(access);
    }
    double blocks = 1;
    for (std::size_t d = 0; d < ranges_.size(); ++d) {
      blocks *= static_cast<double>(ranges_[d].size()) / static_cast<double>(tile_[d]);
    }
    for (const auto& [version, accesses] : read) {
      const std::int64_t bytes = ElementBytes(graph_, version);
      std::vector<Range> all;
      for (const Access* access : accesses) {
        const auto ranges = ReadRanges(graph_, op_, ranges_, *access, parameters_);
        if (all.empty()) all = ranges;
        for (std::size_t d = 0; d < ranges.size(); ++d) {
          all[d] = {std::min(all[d].lo, ranges[d].lo), std::max(all[d].hi, ranges[d].hi)};
        }
      }
      double elements = 1;
      for (const Range& range : all) elements *= static_cast<double>(range.size());
      traffic_.memory_bytes += elements * static_cast<double>(bytes);
      traffic_.compulsory_bytes += elements * static_cast<double>(bytes);
      traffic_.cache_bytes += blocks * BytesOfBlock({op_, accesses, bytes}, tile_, parameters_);
    }
    const auto stored = static_cast<double>(traffic_.store_bytes);
    traffic_.memory_bytes += stored;
    traffic_.compulsory_bytes += stored;
    traffic_.cache_bytes += stored;
  }

  const Plan& plan_;
  const Graph& graph_;
  const Kernel& kernel_;
  const ParameterValues& parameters_;
  const Operator* reduction_;  ///< null where there is none
  const Operator& op_;         ///< its points are the kernel's
  Traffic& traffic_;
  EvaluatedAccesses evaluated_;
  std::vector<Range> ranges_;       ///< of the domain
  std::vector<std::int64_t> tile_;  ///< points of a block along each iterator
  std::int64_t lanes_ = 0;          ///< of a reduction, those with a point
};

}  // namespace

EvaluatedAccesses FindEvaluated(const Graph& graph, const Operator& op) {
  const std::vector<bool> used = graph::UsedLets(graph, op);
  EvaluatedAccesses evaluated;
  const auto collect = [&](ExprId root, std::vector<const Access*>& into) {
    std::vector<ExprId> ids;
    graph::CollectAccesses(graph, root, ids);
    for (ExprId id : ids) {
      const auto& access = std::get<Access>(graph.exprs[id].node);
      if (!access.indices.empty()) into.push_back(&access);
    }
  };
  std::vector<bool> uniform;
  for (std::size_t k = 0; k < op.lets.size(); ++k) {
    uniform.push_back(graph::IsUniform(graph, op.lets[k].value, uniform));
    if (used[k]) collect(op.lets[k].value, uniform[k] ? evaluated.uniform : evaluated.point);
  }
  collect(op.value, evaluated.point);
  return evaluated;
}

std::int64_t DivisionsPerPoint(const Graph& graph, const Operator& op) {
  std::int64_t divisions = 0;
  const auto count = [&](ExprId id) { divisions += graph::SlowOperations(graph, graph.exprs[id]); };
  std::vector<bool> uniform;
  for (const graph::Let& let : op.lets) {
    uniform.push_back(graph::IsUniform(graph, let.value, uniform));
    if (!uniform.back()) graph::Walk(graph, let.value, count);
  }
  graph::Walk(graph, op.value, count);
  return divisions;
}

bool InConstantMemory(const Graph& graph, VersionId version) {
  constexpr std::int64_t kBytes = std::int64_t{48} * 1024;
  const graph::Array& array = graph.arrays[graph.versions[version].array];
  if (!array.constant) return false;
  std::int64_t bytes = stencilgen::ElementBytes(array);
  for (const graph::LinearForm& extent : array.extents) {
    if (!extent.IsConstant() || extent.constant > kBytes) return false;
    bytes *= std::max<std::int64_t>(extent.constant, 1);
  }
  return bytes <= kBytes;
}

bool GuardsHold(const Operator& op, const ParameterValues& parameters) {
  return std::all_of(
      op.domain.guards.begin(), op.domain.guards.end(),
      [&](const graph::LinearForm& guard) { return graph::Evaluate(guard, parameters) >= 0; });
}

namespace {

/// The values of an index where the operator's iterators take those of `points`.
Range ValuesOf(const Operator& op, const std::vector<Range>& points, const graph::Index& index,
               const ParameterValues& parameters) {
  const std::int64_t offset = graph::Evaluate(index.offset, parameters);
  if (index.iterator < 0) return {offset, offset};
  const auto it = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
  const Range& along = points[static_cast<std::size_t>(it - op.iterators.begin())];
  const bool forward = index.coefficient > 0;
  return {index.coefficient * (forward ? along.lo : along.hi) + offset,
          index.coefficient * (forward ? along.hi : along.lo) + offset};
}

}  // namespace

std::vector<Range> PointRanges(const Operator& op, const ParameterValues& parameters) {
  std::vector<Range> points;
  for (const graph::Interval& interval : op.domain.intervals) {
    points.push_back(graph::Evaluate(interval, parameters));
  }
  return points;
}

std::vector<Range> ReadRanges(const Graph& graph, const Operator& op,
                              const std::vector<Range>& points, const Access& access,
                              const ParameterValues& parameters) {
  const graph::Array& array = graph.arrays[graph.versions[access.version].array];
  std::vector<Range> ranges;
  ranges.reserve(array.extents.size());
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    Range range = {0, graph::Evaluate(array.extents[d], parameters) - 1};
    if (access.indices[d].place.Valid()) {
      ranges.push_back(range);
      continue;
    }
    const Range read = ValuesOf(op, points, access.indices[d], parameters);
    const bool open =
        !access.boundary.empty() && access.boundary[d].kind != graph::BoundaryKind::None;
    // A boundary mode may read anything.
    if (!open || (read.lo >= range.lo && read.hi <= range.hi)) {
      range = {std::max(range.lo, read.lo), std::min(range.hi, read.hi)};
    }
    ranges.push_back(range);
  }
  return ranges;
}

double SectorBytes(double rows, double row_elements, std::int64_t element_bytes) {
  const auto bytes = static_cast<double>(element_bytes);
  constexpr auto kSector = static_cast<double>(kSectorBytes);
  // A run that begins anywhere touches on average a sector less an element more than it fills.
  return rows * (row_elements * bytes + kSector - bytes);
}

std::int64_t ElementBytes(const Graph& graph, VersionId version) {
  const graph::Array& array = graph.arrays[graph.versions[version].array];
  return stencilgen::ElementBytes(array);
}

std::int64_t ValueBytes(const Graph& graph, VersionId version) {
  return SizeInBytes(graph.arrays[graph.versions[version].array].type);
}

Traffic FindTraffic(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters) {
  return FindTraffic(plan, kernel, parameters, {});
}

Traffic FindTraffic(const Plan& plan, const Kernel& kernel, const ParameterValues& parameters,
                    const TileSums& sums) {
  Traffic traffic;
  if (kernel.matrix) {
    CountMatrix(plan, kernel, parameters, traffic);
  } else if (kernel.tile) {
    CountTile(plan, kernel, parameters, sums.empty() ? FindSums(plan.graph, kernel) : sums,
              traffic);
  } else {
    PointCounter(plan, kernel, parameters, traffic).Run();
  }
  return traffic;
}

std::int64_t CountCopied(const Plan& plan, const CopyAll& copy, const ParameterValues& parameters) {
  std::int64_t elements = 1;
  for (const graph::LinearForm& extent : plan.buffers[copy.dst].extents) {
    elements *= std::max<std::int64_t>(graph::Evaluate(extent, parameters), 0);
  }
  return elements;
}

std::int64_t CountCopied(const Plan& plan, const CopyOutside& copy,
                         const ParameterValues& parameters) {
  const auto& op = std::get<Operator>(plan.graph.nodes[copy.op]);
  std::int64_t inside = GuardsHold(op, parameters) ? 1 : 0;
  for (const graph::Interval& interval : graph::WrittenBox(op)) {
    inside *= graph::Evaluate(interval, parameters).size();
  }
  return CountCopied(plan, CopyAll{copy.dst, copy.src}, parameters) - inside;
}

}  // namespace stencilgen::plan
