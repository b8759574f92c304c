#include "choose/shift_rows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "choose/nest_cost.h"
#include "graph/nodes.h"
#include "passes/share_sums.h"
#include "plan/time_band.h"
#include "support/match.h"

namespace stencilgen::choose {
namespace {

using Operators = std::vector<const graph::Operator*>;

// Cycles of a core with vectors of 64 bytes, measured on one (family 6, model 167): loads of whole
// lines, and of vectors that cross lines; two units for arithmetic, of which one shifts.
constexpr double kAlignedLoad = 0.5;
constexpr double kCrossingLoad = 1.15;
constexpr double kOperationOfVector = 0.5;
constexpr double kDivisionOfVector = 16;
constexpr double kShift = 1;
/// What shifts must gain: less is within what this does not know. A star of seven points in three
/// dimensions, which should gain 1.07, gains 1.02 in rows of 300 and loses as much in rows of 100.
constexpr double kLeastGain = 1.08;

/// The operations that rows of vectors have (lower/cpp/shifted_rows.h).
bool HasOperation(const kernel::Instruction& instruction) {
  return Match(
      instruction.operation, [](kernel::Copy) { return true; },
      [](UnaryOp op) { return op != UnaryOp::Not; },
      [](BinaryOp op) {
        return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul ||
               op == BinaryOp::Div;
      },
      [](const auto&) { return false; });
}

/// Distances along the last iterator at which a point reads one row of an array.
using Distances = std::set<std::int64_t>;

class RowReads {
 public:
  /// What a point reads.
  RowReads(const kernel::Body& body, int along) {
    for (const kernel::Value& value : body.values) {
      const auto* element = std::get_if<kernel::Element>(&value.what);
      if (element == nullptr || lower::cpp::IsUniform(value)) continue;
      const std::vector<graph::Index>& indices = element->access.indices;
      if (indices.back().iterator != along || indices.back().coefficient != 1) {
        others_ += 1;
        continue;
      }
      std::vector<std::pair<int, std::int64_t>> row;
      row.reserve(indices.size());
      for (const graph::Index& index : indices) {
        row.emplace_back(index.iterator, index.offset.constant);
      }
      row.pop_back();
      rows_[{element->access.version, std::move(row)}].insert(indices.back().offset.constant);
    }
  }

  double DirectCycles() const {
    double cycles = kAlignedLoad * others_;
    for (const auto& [row, distances] : rows_) {
      const double whole = distances.count(0) > 0 ? 1 : 0;
      cycles +=
          kAlignedLoad * whole + kCrossingLoad * (static_cast<double>(distances.size()) - whole);
    }
    return cycles;
  }
  /// Of rows that are read at several distances one load each is left.
  double LoadCycles() const {
    double cycles = kAlignedLoad * others_;
    for (const auto& [row, distances] : rows_) {
      const bool aligned = distances.size() > 1 || distances.count(0) > 0;
      cycles += aligned ? kAlignedLoad : kCrossingLoad;
    }
    return cycles;
  }
  double Shifts() const {
    double shifts = 0;
    for (const auto& [row, distances] : rows_) {
      if (distances.size() > 1) shifts += static_cast<double>(distances.size()) - 1;
    }
    return shifts;
  }

 private:
  std::map<std::pair<graph::VersionId, std::vector<std::pair<int, std::int64_t>>>, Distances> rows_;
  double others_ = 0;
};

/// Something is read that is written: an end of a row may not be computed twice.
bool IsInPlace(const plan::Plan& plan, const Operators& ops) {
  std::set<plan::BufferId> read;
  for (const graph::Operator* op : ops) {
    for (const graph::ExprId id : graph::Accesses(plan.graph, *op)) {
      const auto& access = std::get<graph::Access>(plan.graph.exprs[id].node);
      read.insert(plan.buffer_of[access.version.index]);
    }
  }
  return std::any_of(ops.begin(), ops.end(), [&](const graph::Operator* op) {
    return read.count(plan.buffer_of[op->result.index]) > 0;
  });
}

double ArithmeticOf(const kernel::Body& body) {
  double cycles = kOperationOfVector * static_cast<double>(passes::CountArithmetic(body));
  for (const kernel::Instruction& instruction : body.instructions) {
    const auto* binary = std::get_if<BinaryOp>(&instruction.operation);
    if (binary != nullptr && *binary == BinaryOp::Div) cycles += kDivisionOfVector;
  }
  return cycles;
}

bool Gains(const plan::Plan& plan, const plan::Kernel& kernel) {
  Operators ops;
  for (const graph::NodeId node : kernel.ops) {
    ops.push_back(&graph::OperatorOf(plan.graph, node));
  }
  if (ops.front()->iterators.empty() || IsInPlace(plan, ops)) return false;
  const kernel::Body body = LowerPoint(plan.graph, ops);
  if (body.instructions.size() > kMostInstructions) return false;
  if (!std::all_of(body.instructions.begin(), body.instructions.end(), HasOperation)) return false;
  const RowReads reads(body, ops.front()->iterators.back());
  if (reads.Shifts() == 0) return false;
  const double arithmetic = ArithmeticOf(body);
  const double shifts = kShift * reads.Shifts();
  const double direct = std::max(reads.DirectCycles(), arithmetic);
  const double shifted =
      std::max({reads.LoadCycles(), shifts, arithmetic + kOperationOfVector * reads.Shifts()});
  return direct >= kLeastGain * shifted;
}

}  // namespace

plan::Plan ShiftRows(plan::Plan plan) {
  for (const plan::KernelId id : plan::KernelsInBands(plan)) {
    plan::Kernel& kernel = plan.kernels[id];
    if (!kernel.nest || kernel.nest->vectors) continue;
    const std::vector<int>& points = kernel.nest->points;
    if (std::any_of(points.begin(), points.end(), [](int each) { return each > 1; })) continue;
    kernel.nest->shifts = Gains(plan, kernel);
  }
  return plan;
}

}  // namespace stencilgen::choose
