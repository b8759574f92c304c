#include <algorithm>
#include <cstring>

#include "graph/interpret_operator.h"
#include "graph/interpret_rows.h"
#include "graph/reduction.h"

namespace stencilgen::graph {
namespace {

/// `into[k] = into[k] op values[k]`; `spare` has room for them.
void Combine(ReduceOp op, ScalarType type, const void* values, void* into, void* spare,
             std::size_t count) {
  switch (op) {
    case ReduceOp::Sum:
      BinaryRow(BinaryOp::Add, type, into, values, spare, count);
      break;
    case ReduceOp::Min:
      CallRow(Function::Min, type, into, values, nullptr, spare, count);
      break;
    case ReduceOp::Max:
      CallRow(Function::Max, type, into, values, nullptr, spare, count);
      break;
    case ReduceOp::Any:
      BinaryRow(BinaryOp::Or, type, into, values, spare, count);
      break;
    case ReduceOp::All:
      BinaryRow(BinaryOp::And, type, into, values, spare, count);
      break;
  }
  std::memcpy(into, spare, count * static_cast<std::size_t>(SizeInBytes(type)));
}

}  // namespace

/// The lanes that have points begin with the identity.
void OperatorProgram::FillLanes(Contents& result) const {
  const std::vector<std::int64_t>& lanes = reduction_->lanes;
  std::int64_t rows = 1;
  std::vector<std::int64_t> filled;
  for (std::size_t axis = 0; axis < lanes.size(); ++axis) {
    filled.push_back(lanes[axis] == 1 ? 1 : std::min(lanes[axis], ranges_[axis].size()));
    if (axis + 1 < lanes.size()) rows *= filled[axis];
  }
  const auto identity = IdentityOf(reduction_->op, type_);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t rest = row;
    std::int64_t position = 0;
    std::int64_t stride = lanes.back();
    for (std::size_t axis = lanes.size() - 1; axis-- > 0;) {
      position += rest % filled[axis] * stride;
      rest /= filled[axis];
      stride *= lanes[axis];
    }
    FillRow(type_, identity, static_cast<std::int64_t>(IsFloating(type_) ? 0 : identity),
            static_cast<char*>(result.data()) + position * SizeInBytes(type_),
            static_cast<std::size_t>(filled.back()));
    if (!result.defined.empty()) {
      std::memset(result.defined.data() + position, 1, static_cast<std::size_t>(filled.back()));
    }
  }
}

void OperatorProgram::Reduce(const std::vector<std::shared_ptr<Contents>>& contents,
                             Contents& result, RowScratch& scratch) const {
  FillLanes(result);
  const bool none = std::any_of(ranges_.begin(), ranges_.end(),
                                [](const Range& range) { return range.size() == 0; });
  if (none) return;
  const Execution execution = Prepare(contents);
  if (result.defined.empty() && execution.may_lack_values) {
    result.defined.assign(SizeOf(result.values), 1);
  }
  constexpr std::int64_t kMost = 256;  // points of a row at a time
  const std::int64_t last = reduction_->lanes.back();
  const std::int64_t piece = std::min(last, kMost);
  scratch.Prepare(static_cast<std::size_t>(slot_count_), static_cast<std::size_t>(piece));
  for (const Step& step : once_) Run(step, execution, RowStart(0), scratch.chunk, scratch);
  std::vector<double> spare(scratch.chunk);
  for (std::size_t row = 0; row < execution.rows; ++row) {
    Point point = RowStart(row);
    const std::int64_t first = point.back();
    std::int64_t lane_row = 0;
    for (std::size_t axis = 0; axis + 1 < ranges_.size(); ++axis) {
      const std::int64_t lanes = reduction_->lanes[axis];
      lane_row = lane_row * lanes + (point[axis] - ranges_[axis].lo) % lanes;
    }
    while (point.back() <= ranges_.back().hi) {
      const std::int64_t lane = (point.back() - first) % last;
      const auto count = static_cast<std::size_t>(
          std::min({piece, last - lane, ranges_.back().hi - point.back() + 1}));
      for (const Step& step : steps_) Run(step, execution, point, count, scratch);
      const RowView& view = scratch.views[static_cast<std::size_t>(value_slot_)];
      const std::int64_t position = lane_row * last + lane;
      Combine(reduction_->op, type_, view.data,
              static_cast<char*>(result.data()) + position * SizeInBytes(type_), spare.data(),
              count);
      for (std::size_t k = 0; view.defined != nullptr && k < count; ++k) {
        result.defined[static_cast<std::size_t>(position) + k] &= view.defined[k];
      }
      point.back() += static_cast<std::int64_t>(count);
    }
  }
}

}  // namespace stencilgen::graph
