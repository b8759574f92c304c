#include "choose/choose_vectors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "choose/cache_ways.h"
#include "choose/nest_cost.h"
#include "lower/cpp/vector_kernel.h"

namespace stencilgen::choose {
namespace {

using kernel::Body;
using kernel::Distribute;
using lower::cpp::FitsVectors;
using lower::cpp::MayUseVectors;
using lower::cpp::OrderBox;
using lower::cpp::VectorKernel;
using passes::Reorder;
using plan::NestOrder;

/// Bodies that read more rows of arrays wait for their addresses, which do not fit registers.
constexpr std::size_t kMostRowsOfVectors = 40;

/// The orders that a scheduler stands for.
std::vector<NestOrder> OrdersOf(Reorder how) {
  switch (how) {
    case Reorder::Trees:
      return {NestOrder::Trees};
    case Reorder::Lars:
      return {NestOrder::Lars};
    case Reorder::LarsRows:
      return {NestOrder::LarsRows};
    case Reorder::LarsCoefficients:
      return {NestOrder::LarsCoefficients};
    case Reorder::Auto:
      return {NestOrder::Program, NestOrder::Trees, NestOrder::Lars};
    default:
      return {};
  }
}

/// True where vectors give the bits that single values give.
bool IsExact(const Body& body) {
  return std::all_of(
      body.instructions.begin(), body.instructions.end(), [](const kernel::Instruction& each) {
        const auto* function = std::get_if<Function>(&each.operation);
        return function == nullptr || *function == Function::Fabs || *function == Function::Sqrt ||
               *function == Function::RoundHalf || *function == Function::RoundBFloat16;
      });
}

class VectorChooser {
 public:
  VectorChooser(const graph::Graph& graph, const graph::Operator& op,
                const plan::Schedule& schedule, const NestOptions& options)
      : graph_(graph), op_(op), schedule_(schedule), options_(options) {}

  std::optional<VectorChoice> Choose() {
    // Compilers make good vectors of other types in the program's order.
    const bool asked = options_.strict ? HasHalves() : passes::Reorders(options_.reorder.how);
    if (!asked) return std::nullopt;
    if (op_.reduction || !MayUseVectors(graph_, op_)) return std::nullopt;
    const ScalarType type = graph_.arrays[graph_.versions[op_.result].array].type;
    const Body single = Lowered(std::vector<int>(op_.iterators.size(), 1));
    if (!FitsVectors(single, type)) return std::nullopt;
    if (options_.strict && !IsExact(single)) return std::nullopt;
    const bool conditional = ReadsUnderConditions(graph_, op_);
    floor_ = MemoryCycles(single, 1);
    arithmetic_ = ArithmeticCycles(single);
    // Selections wait for comparisons: two points have the one's time for the other's.
    const std::size_t conditional_points = op_.iterators.size() > 1 ? 2 : 1;
    for (const std::vector<int>& points : Blocks()) {
      if (options_.choose_points && conditional && Count(points) != conditional_points) continue;
      if (options_.choose_points &&
          Count(points) * single.instructions.size() > kMostInstructions && Count(points) > 1) {
        continue;
      }
      Consider(points);
    }
    if (!best_) return std::nullopt;
    // Compilers make poor vectors of conversions.
    const bool worth_it = conditional || HasHalves() || IsWorthIt(single);
    if (options_.choose_points && !worth_it) return std::nullopt;
    if (!options_.choose_points && schedule_.unroll[0] > 1) {
      best_->nest.pack = schedule_.unroll[0];
    }
    best_->cycles = std::max(cycles_, floor_);
    best_->plain = PlainTime(single);
    return std::move(best_);
  }

 private:
  /// Halves are read or written.
  bool HasHalves() const {
    const auto halves = [&](graph::VersionId version) {
      return graph_.arrays[graph_.versions[version].array].format == ElementFormat::Half;
    };
    const std::vector<graph::ExprId> accesses = graph::Accesses(graph_, op_);
    return halves(op_.result) ||
           std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
             return halves(std::get<graph::Access>(graph_.exprs[id].node).version);
           });
  }

  static std::size_t Count(const std::vector<int>& points) {
    std::size_t count = 1;
    for (int along : points) count *= static_cast<std::size_t>(along);
    return count;
  }

  /// Boxes of points that are tried: their extents by iterator, one along the last.
  std::vector<std::vector<int>> Blocks() const {
    const std::size_t count = op_.iterators.size();
    std::vector<std::vector<int>> blocks;
    if (!options_.choose_points) {
      std::vector<int> points(count, 1);
      for (std::size_t axis = 1; axis < count && axis < schedule_.unroll.size(); ++axis) {
        points[count - 1 - axis] = schedule_.unroll[axis];
      }
      return {points};
    }
    constexpr std::array<std::array<int, 2>, 8> kBlocks = {
        {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 1}, {2, 2}, {4, 1}, {2, 4}}};
    for (const auto& [z, y] : kBlocks) {
      if ((z > 1 && count < 3) || (y > 1 && count < 2)) continue;
      std::vector<int> points(count, 1);
      if (count >= 2) points[count - 2] = y;
      if (count >= 3) points[count - 3] = z;
      blocks.push_back(std::move(points));
    }
    return blocks;
  }

  Body Lowered(const std::vector<int>& points) const {
    const Distribute distribute = options_.strict       ? Distribute::AsWritten
                                  : options_.distribute ? Distribute::Always
                                                        : Distribute::WhereFree;
    return lower::cpp::LowerBox(graph_, op_, points, distribute);
  }

  void Consider(const std::vector<int>& points) {
    const Body body = Lowered(points);
    if (options_.choose_points && RowsOf(body) > kMostRowsOfVectors) return;
    // With rows of one plane alone, measured, nothing is lost: 5 x 5 points, rows of 512 doubles.
    const double conflicts =
        points.size() > 2 ? ConflictCycles(body, graph_, op_, options_.sizes, options_.cpu) : 0;
    const std::vector<NestOrder> orders =
        options_.strict ? std::vector{NestOrder::Program} : OrdersOf(options_.reorder.how);
    for (NestOrder order : orders) {
      const VectorKernel vectors = OrderBox(body, points, order, options_.reorder);
      const Body& ordered = vectors.body;
      const lower::cpp::FetchPlan& plan = vectors.plan;
      const std::size_t in_plane = Count(points) / static_cast<std::size_t>(points.front());
      // What points of a block share of their arithmetic, compilers find too, or it is not what the
      // loop waits for.
      const double turn =
          std::max(CyclesOf(ordered, plan), arithmetic_ * static_cast<double>(Count(points))) +
          TrafficCycles(ordered, op_, in_plane);
      const double cycles = turn / static_cast<double>(Count(points));
      least_ = best_ ? std::min(least_, cycles) : cycles;
      // Larger boxes have their own costs.
      constexpr double kLeastGain = 1.05;
      const double gain = best_ && best_->nest.points != points ? kLeastGain : 1;
      const double price = cycles + conflicts / static_cast<double>(Count(points));
      if (best_ && price * gain >= price_) continue;
      cycles_ = cycles;
      price_ = price;
      best_.emplace();
      best_->nest = plan::PlainNest(points.size());
      best_->nest.vectors = true;
      best_->nest.points = points;
      best_->nest.order = order;
    }
  }

  /// True for gains that show with every compiler, and with all threads: less is within what the
  /// model does not know. Rows of many arrays at once contend for the caches' ways where their
  /// extents are powers of two, and with two threads for memory: clover2d-pdv, which should gain
  /// 1.18, gains that on 2000 x 2000 points with one thread, and loses as much on 4096 x 4096 with
  /// two. In three dimensions planes come through caches that also fetch ahead: of a star of seven
  /// points that should gain 1.43, GCC 12 gains 1.1 and clang 14 loses as much.
  bool IsWorthIt(const Body& single) const {
    const double least_gain = op_.iterators.size() > 2 ? 1.45 : 1.3;
    return PlainTime(single) >= least_gain * std::max(least_, floor_);
  }
  double PlainTime(const Body& single) const {
    return std::max(PlainCycles(single) + TrafficCycles(single, op_, 1), floor_);
  }

  const graph::Graph& graph_;
  const graph::Operator& op_;
  const plan::Schedule& schedule_;
  const NestOptions& options_;
  std::optional<VectorChoice> best_;
  double cycles_ = 0;  ///< of a point of the best, from caches
  double least_ = 0;   ///< of any block
  double price_ = 0;   ///< the same with lines lost to rows of other planes, by which it is best
  double floor_ = 0;   ///< of a point, whatever is done
  double arithmetic_ = 0;  ///< of a point alone
};

}  // namespace

std::optional<VectorChoice> ChooseVectors(const graph::Graph& graph, const graph::Operator& op,
                                          const plan::Schedule& schedule,
                                          const NestOptions& options) {
  return VectorChooser(graph, op, schedule, options).Choose();
}

}  // namespace stencilgen::choose
