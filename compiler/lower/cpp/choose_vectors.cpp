#include "lower/cpp/choose_vectors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/lower_body.h"
#include "lower/cpp/nest_cost.h"
#include "passes/latencies.h"
#include "passes/reorder.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Body;
using kernel::ValueId;
using passes::Reorder;

/// Registers that bodies are made for: those of AVX2; AVX-512 has twice as many, and packs of two.
constexpr int kRegisters = 16;
/// Longer bodies take compilers too long, and gain nothing more.
constexpr std::size_t kMostInstructions = 1200;
/// Bodies that read more rows of arrays wait for their addresses, which do not fit registers.
constexpr std::size_t kMostRows = 40;

/// The body with uniform values as elements of a row, which take registers.
Body WithUniformsInRegisters(Body body) {
  graph::Index along;
  along.iterator = 0;
  along.coefficient = 1;
  graph::Access access;
  access.indices = {along};
  for (kernel::Value& value : body.values) {
    if (IsUniform(value)) value.what = kernel::Element{access};
  }
  return body;
}

/// The body in the order that a scheduler gives it. Coefficients take registers on this target.
Body Ordered(const Body& body, Reorder how, passes::ReorderOptions options) {
  options.how = how;
  options.latencies = passes::kCpuLatencies;
  options.registers = passes::kCpuRegisters;
  Body ordered = passes::ReorderBody(WithUniformsInRegisters(body), options);
  for (ValueId id : body.values.Ids()) ordered.values[id].what = body.values[id].what;
  return ordered;
}

class VectorChooser {
 public:
  VectorChooser(const graph::Graph& graph, const graph::Operator& op,
                const plan::Schedule& schedule, const Options& options)
      : graph_(graph), op_(op), schedule_(schedule), options_(options) {}

  std::optional<VectorKernel> Choose() {
    if (options_.fp == FpMode::Strict || !passes::Reorders(options_.reorder.how))
      return std::nullopt;
    if (!MayUseVectors(graph_, op_)) return std::nullopt;
    const ScalarType type = graph_.arrays[graph_.versions[op_.result].array].type;
    const Body single = Lowered(std::vector<int>(op_.iterators.size(), 1));
    if (!FitsVectors(single, type)) return std::nullopt;
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
    if (options_.choose_points && !conditional && !IsWorthIt(single)) return std::nullopt;
    if (!options_.choose_points && schedule_.unroll[0] > 1) {
      best_->style.vectors = schedule_.unroll[0];
    }
    best_->cycles = std::max(cycles_, floor_);
    return std::move(best_);
  }

 private:
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
    std::vector<std::vector<std::int64_t>> offsets(points.size());
    for (std::size_t n = 0; n < points.size(); ++n) {
      for (int k = 0; k < points[n]; ++k) offsets[n].push_back(k);
    }
    return kernel::LowerBody(
        graph_, {&op_}, kernel::StatementsAt(1, offsets),
        options_.distribute ? kernel::Distribute::Always : kernel::Distribute::WhereFree);
  }

  void Consider(const std::vector<int>& points) {
    const Body body = Lowered(points);
    if (options_.choose_points && RowsOf(body) > kMostRows) return;
    const Reorder how = options_.reorder.how;
    std::vector<Reorder> orders = {how};
    if (how == Reorder::Auto) orders = {Reorder::None, Reorder::Trees, Reorder::Lars};
    for (Reorder each : orders) {
      Body ordered = each == Reorder::None ? body : Ordered(body, each, options_.reorder);
      FetchPlan plan = PlanFetches(ordered, kRegisters);
      const std::size_t in_plane = Count(points) / static_cast<std::size_t>(points.front());
      // What points of a block share of their arithmetic, compilers find too, or it is not what the
      // loop waits for.
      const double turn =
          std::max(CyclesOf(ordered, plan), arithmetic_ * static_cast<double>(Count(points))) +
          TrafficCycles(ordered, op_, in_plane);
      const double cycles = turn / static_cast<double>(Count(points));
      // Larger boxes have their own costs.
      constexpr double kLeastGain = 1.05;
      const double gain = best_ && best_->points != points ? kLeastGain : 1;
      if (best_ && cycles * gain >= cycles_) continue;
      cycles_ = cycles;
      best_ = VectorKernel{std::move(ordered), body, std::move(plan), points, {}};
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
    const double plain = std::max(PlainCycles(single) + TrafficCycles(single, op_, 1), floor_);
    return plain >= least_gain * std::max(cycles_, floor_);
  }

  const graph::Graph& graph_;
  const graph::Operator& op_;
  const plan::Schedule& schedule_;
  const Options& options_;
  std::optional<VectorKernel> best_;
  double cycles_ = 0;      ///< of a point of the best, from caches
  double floor_ = 0;       ///< of a point, whatever is done
  double arithmetic_ = 0;  ///< of a point alone
};

}  // namespace

std::optional<VectorKernel> ChooseVectors(const graph::Graph& graph, const graph::Operator& op,
                                          const plan::Schedule& schedule, const Options& options) {
  return VectorChooser(graph, op, schedule, options).Choose();
}

std::optional<VectorKernel> ChooseVectors(const ProgramModel& model, plan::KernelId kernel) {
  const plan::Kernel& planned = model.plan().kernels[kernel];
  if (planned.ops.size() > 1) return std::nullopt;
  return ChooseVectors(model.graph(), model.OperatorOf(kernel), planned.schedule, model.options());
}

}  // namespace stencilgen::lower::cpp
