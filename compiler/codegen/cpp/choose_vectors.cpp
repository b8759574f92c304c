#include "codegen/cpp/choose_vectors.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "graph/walk.h"
#include "kernel/lower_body.h"
#include "kernel/uses.h"
#include "passes/latencies.h"
#include "passes/reorder.h"
#include "support/match.h"

namespace stencilgen::codegen::cpp {
namespace {

using kernel::Body;
using kernel::Instruction;
using kernel::ValueId;
using passes::Reorder;

/// Registers that bodies are made for: those of AVX2; AVX-512 has twice as many, and packs of two.
constexpr int kRegisters = 16;
/// Longer bodies take compilers too long, and gain nothing more.
constexpr std::size_t kMostInstructions = 1200;
/// Bodies that read more rows of arrays wait for their addresses, which do not fit registers.
constexpr std::size_t kMostRows = 40;

// Cycles of a core with AVX-512 for two vectors, from the published tables of instructions: two
// units for arithmetic; two loads a cycle, but an unaligned vector of 64 bytes is in two lines of
// the cache and takes both.
constexpr double kOperation = 1;
constexpr double kSelection = 2;
constexpr double kDivision = 16;
constexpr double kRoot = 24;
constexpr double kElementLoad = 2;
constexpr double kUniformLoad = 0.5;
constexpr double kStore = 2;
// What a plane of the outermost iterator, of which a turn needs as many elements, costs from the
// second-level cache, or from the third where planes have two dimensions.
constexpr double kRowTraffic = 3;
constexpr double kPlaneTraffic = 8;
// What a row of an array costs where there are more than registers for their addresses.
constexpr std::size_t kAddressRegisters = 12;
constexpr double kAddress = 1.5;
// What an array costs from memory, where nothing is faster.
constexpr double kMemoryTraffic = 8;

double CyclesOf(const Instruction& instruction) {
  return Match(
      instruction.operation, [](kernel::Copy) { return kOperation; },
      [](UnaryOp) { return kOperation; },
      [](BinaryOp op) { return op == BinaryOp::Div ? kDivision : kOperation; },
      [](Function function) { return function == Function::Sqrt ? kRoot : kOperation; },
      [](kernel::Select) { return kSelection; }, [](kernel::Convert) { return kOperation; });
}

double ArithmeticOf(const Body& body) {
  double sum = 0;
  for (const Instruction& instruction : body.instructions) sum += CyclesOf(instruction);
  return sum;
}

/// True where an element of a row is read only if a condition holds: compilers do not vectorise
/// that. What all points of a row share they read before the loop.
bool ReadsUnderConditions(const graph::Graph& graph, const graph::Operator& op) {
  struct Place {
    graph::ExprId expr;
    bool conditional;
  };
  std::vector<Place> pending = {{op.value, false}};
  for (const graph::Let& let : op.lets) pending.push_back({let.value, false});
  std::vector<const graph::Access*> always;
  std::vector<const graph::Access*> sometimes;
  while (!pending.empty()) {
    const auto [id, conditional] = pending.back();
    pending.pop_back();
    const graph::Expr& expr = graph.exprs[id];
    if (const auto* access = std::get_if<graph::Access>(&expr.node)) {
      const bool varies = std::any_of(
          access->indices.begin(), access->indices.end(),
          [&](const graph::Index& index) { return index.iterator == op.iterators.back(); });
      if (varies) (conditional ? sometimes : always).push_back(access);
    }
    const auto* branches = std::get_if<graph::Conditional>(&expr.node);
    for (graph::ExprId operand : graph::Operands(expr)) {
      const bool branch = branches != nullptr && operand != branches->condition;
      pending.push_back({operand, conditional || branch});
    }
  }
  return std::any_of(sometimes.begin(), sometimes.end(), [&](const graph::Access* access) {
    return std::none_of(always.begin(), always.end(), [&](const graph::Access* other) {
      return other->version == access->version && other->indices == access->indices;
    });
  });
}

/// The rows of arrays that a body reads: an address each.
std::size_t RowsOf(const Body& body) {
  std::set<std::pair<graph::VersionId, std::vector<std::int64_t>>> rows;
  for (const kernel::Value& value : body.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element == nullptr || IsUniform(value)) continue;
    std::vector<std::int64_t> row;
    for (const graph::Index& index : element->access.indices) {
      row.push_back(index.offset.constant);
    }
    row.pop_back();
    rows.emplace(element->access.version, std::move(row));
  }
  return rows.size();
}

/// Cycles of moving what a turn needs through the caches: each plane that the body reads, of which
/// points along the iterators within it share the rest; and of addresses.
double TrafficOf(const Body& body, const graph::Operator& op, std::size_t points_in_plane) {
  const int outermost = op.iterators.front();
  std::set<std::pair<graph::VersionId, std::int64_t>> planes;
  for (const kernel::Value& value : body.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element == nullptr || IsUniform(value)) continue;
    std::int64_t offset = 0;
    for (const graph::Index& index : element->access.indices) {
      if (index.iterator == outermost) offset = index.offset.constant;
    }
    planes.emplace(element->access.version, offset);
  }
  const double each = op.iterators.size() > 2 ? kPlaneTraffic : kRowTraffic;
  const std::size_t rows = RowsOf(body);
  const double addresses = rows > kAddressRegisters ? kAddress * static_cast<double>(rows) : 0;
  return each * static_cast<double>(planes.size() * points_in_plane) + addresses;
}

/// Cycles of moving what a point needs from memory and back: no order of instructions is faster.
double FloorOf(const Body& body) {
  std::set<graph::VersionId> arrays;
  for (const kernel::Value& value : body.values) {
    const auto* element = std::get_if<kernel::Element>(&value.what);
    if (element != nullptr && !IsUniform(value)) arrays.insert(element->access.version);
  }
  constexpr int kWritten = 2;  // loaded before it is stored
  return kMemoryTraffic * (static_cast<double>(arrays.size()) + kWritten);
}

/// Cycles of what compilers make of a plain loop: each element is loaded once, and so are, for each
/// vector, uniform values that are too many for registers.
double PlainCycles(const Body& body) {
  constexpr int kUniformRegisters = 12;
  const kernel::Uses uses = kernel::FindUses(body);
  int elements = 0;
  int uniform = -kUniformRegisters;
  for (ValueId id : body.values.Ids()) {
    if (uses.uses[id.index].empty() || kernel::IsTemporary(body.values[id])) continue;
    ++(IsUniform(body.values[id]) ? uniform : elements);
  }
  const double memory = kElementLoad * elements + 2 * kUniformLoad * std::max(0, uniform) +
                        kStore * static_cast<double>(body.results.size());
  return std::max(memory, ArithmeticOf(body));
}

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
  VectorChooser(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        op_(model.OperatorOf(kernel)),
        schedule_(model.plan().kernels[kernel].schedule) {}

  std::optional<VectorKernel> Choose() {
    const CodegenOptions& options = model_.options();
    if (options.fp == FpMode::Strict || !passes::Reorders(options.reorder.how)) return std::nullopt;
    if (!MayUseVectors(model_.graph(), op_)) return std::nullopt;
    const ScalarType type = model_.graph().arrays[model_.graph().versions[op_.result].array].type;
    const Body single = Lowered(std::vector<int>(op_.iterators.size(), 1));
    if (!FitsVectors(single, type)) return std::nullopt;
    const bool conditional = ReadsUnderConditions(model_.graph(), op_);
    floor_ = FloorOf(single);
    arithmetic_ = ArithmeticOf(single);
    for (const std::vector<int>& points : Blocks()) {
      if (options.choose_points && conditional && Count(points) > 1) continue;
      if (options.choose_points && Count(points) * single.instructions.size() > kMostInstructions &&
          Count(points) > 1) {
        continue;
      }
      Consider(points);
    }
    if (!best_) return std::nullopt;
    if (options.choose_points && !conditional && !IsWorthIt(single)) return std::nullopt;
    if (!options.choose_points && schedule_.unroll[0] > 1) {
      best_->style.vectors = schedule_.unroll[0];
    }
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
    if (!model_.options().choose_points) {
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
        model_.graph(), {&op_}, kernel::StatementsAt(1, offsets),
        model_.options().distribute ? kernel::Distribute::Always : kernel::Distribute::WhereFree);
  }

  void Consider(const std::vector<int>& points) {
    const Body body = Lowered(points);
    if (model_.options().choose_points && RowsOf(body) > kMostRows) return;
    const Reorder how = model_.options().reorder.how;
    std::vector<Reorder> orders = {how};
    if (how == Reorder::Auto) orders = {Reorder::None, Reorder::Trees, Reorder::Lars};
    for (Reorder each : orders) {
      Body ordered = each == Reorder::None ? body : Ordered(body, each, model_.options().reorder);
      FetchPlan plan = PlanFetches(ordered, kRegisters);
      const std::size_t in_plane = Count(points) / static_cast<std::size_t>(points.front());
      // What points of a block share of their arithmetic, compilers find too, or it is not what the
      // loop waits for.
      const double turn =
          std::max(CyclesOf(ordered, plan), arithmetic_ * static_cast<double>(Count(points))) +
          TrafficOf(ordered, op_, in_plane);
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
    const double plain = std::max(PlainCycles(single) + TrafficOf(single, op_, 1), floor_);
    return plain >= least_gain * std::max(cycles_, floor_);
  }

  const ProgramModel& model_;
  const graph::Operator& op_;
  const plan::Schedule& schedule_;
  std::optional<VectorKernel> best_;
  double cycles_ = 0;      ///< of a point of the best, from caches
  double floor_ = 0;       ///< of a point, whatever is done
  double arithmetic_ = 0;  ///< of a point alone
};

}  // namespace

double CyclesOf(const Body& body, const FetchPlan& plan) {
  double memory = kStore * static_cast<double>(body.results.size());
  for (const std::vector<ValueId>& fetches : plan.fetches) {
    for (ValueId id : fetches) memory += IsUniform(body.values[id]) ? kUniformLoad : kElementLoad;
  }
  // What overflows is stored and loaded again.
  memory += plan.overflow * (kStore + kElementLoad);
  return std::max(memory, ArithmeticOf(body));
}

std::optional<VectorKernel> ChooseVectors(const ProgramModel& model, plan::KernelId kernel) {
  return VectorChooser(model, kernel).Choose();
}

}  // namespace stencilgen::codegen::cpp
