#include "graph/interpret_operator.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "graph/interpret_rows.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

// Elements of a row evaluated at a time: all intermediate rows of a point stay in the cache.
constexpr std::size_t kChunk = 256;

bool SameIndex(const RunIndex& a, const RunIndex& b) {
  return a.axis == b.axis && a.coefficient == b.coefficient && a.offset == b.offset;
}

void And(const std::uint8_t* mask, std::uint8_t* out, std::size_t count) {
  if (mask == nullptr) return;
  for (std::size_t k = 0; k < count; ++k) out[k] &= mask[k];
}

std::uint8_t At(const std::uint8_t* mask, std::size_t k) {
  return mask == nullptr ? 1 : mask[k];
}

}  // namespace

void* Contents::data() {
  return Match(values, [](auto& elements) { return static_cast<void*>(elements.data()); });
}

const void* Contents::data() const {
  return Match(values,
               [](const auto& elements) { return static_cast<const void*>(elements.data()); });
}

std::vector<VersionId> OperatorProgram::ReadVersions() const {
  std::vector<VersionId> versions;
  for (const RunAccess& read : reads_) versions.push_back(read.version);
  return versions;
}

bool OperatorProgram::ReadsOnlyItsOwnPoint(VersionId version) const {
  return std::all_of(reads_.begin(), reads_.end(), [&](const RunAccess& read) {
    return read.version != version ||
           std::equal(read.dimensions.begin(), read.dimensions.end(), target_.begin(),
                      target_.end(), [](const auto& a, const auto& b) {
                        return SameIndex(a.index, b.index) && a.extent == b.extent;
                      });
  });
}

std::string OperatorProgram::Execute(const std::vector<std::shared_ptr<Contents>>& contents,
                                     Contents& result, RowScratch& scratch) const {
  if (empty_) return "";
  Point point;
  Point last;
  for (const Range& range : ranges_) {
    point.push_back(range.lo);
    last.push_back(range.hi);
  }
  if (!TargetInside(point) || !TargetInside(last)) {
    return fmt::format("stencil '{}' writes outside its array", name_);
  }
  // The target is inside, hence so small that nothing overflows.
  const std::size_t row = ranges_.empty() ? 1 : static_cast<std::size_t>(ranges_.back().size());
  scratch.Prepare(static_cast<std::size_t>(slot_count_), std::min(row, kChunk));
  for (const Step& step : once_) Run(step, contents, point, scratch.chunk, scratch);
  bool done = false;
  while (!done) {
    for (std::size_t begin = 0; begin < row; begin += scratch.chunk) {
      const std::size_t count = std::min(scratch.chunk, row - begin);
      if (!point.empty()) point.back() = ranges_.back().lo + static_cast<std::int64_t>(begin);
      for (const Step& step : steps_) Run(step, contents, point, count, scratch);
      Store(point, count, scratch.views[static_cast<std::size_t>(value_slot_)], result);
    }
    done = true;
    for (std::size_t axis = ranges_.empty() ? 0 : ranges_.size() - 1; axis-- > 0 && done;) {
      done = ++point[axis] > ranges_[axis].hi;
      if (done) point[axis] = ranges_[axis].lo;
    }
  }
  std::vector<std::uint8_t>& defined = result.defined;
  if (!defined.empty() && std::memchr(defined.data(), 0, defined.size()) == nullptr) {
    defined.clear();
  }
  return "";
}

bool OperatorProgram::TargetInside(const Point& point) const {
  return std::all_of(target_.begin(), target_.end(), [&](const RunAccess::Dimension& dimension) {
    const std::int64_t x = Position(dimension.index, point);
    return 0 <= x && x < dimension.extent;
  });
}

void OperatorProgram::Run(const Step& step, const std::vector<std::shared_ptr<Contents>>& contents,
                          const Point& point, std::size_t count, RowScratch& scratch) const {
  const auto slot = static_cast<std::size_t>(step.result);
  const auto operand = [&](std::size_t k) {
    const int from = step.operands[k];
    return from < 0 ? nullptr : scratch.views[static_cast<std::size_t>(from)].data;
  };
  void* out = scratch.Values(slot);
  RowView& view = scratch.views[slot];
  view = {out, nullptr};
  switch (step.kind) {
    case StepKind::Literal:
      return FillRow(step.type, step.floating, step.integer, out, count);
    case StepKind::Iota: {
      const auto axis = static_cast<std::size_t>(step.integer);
      if (axis + 1 < point.size()) return FillRow(ScalarType::Int, 0, point[axis], out, count);
      return IotaRow(point[axis], static_cast<std::int32_t*>(out), count);
    }
    case StepKind::Read: {
      const RunAccess& read = reads_[static_cast<std::size_t>(step.integer)];
      view = ReadRow(read, *contents[read.version.index], point, count, out, scratch.Defined(slot));
      return;
    }
    case StepKind::Unary:
      UnaryRow(step.unary, step.operand_type, operand(0), out, count);
      break;
    case StepKind::Binary:
      BinaryRow(step.binary, step.operand_type, operand(0), operand(1), out, count);
      break;
    case StepKind::Power:
      PowerRow(step.type, operand(0), step.integer, out, count);
      break;
    case StepKind::Select:
      SelectRow(step.type, static_cast<const std::uint8_t*>(operand(0)), operand(1), operand(2),
                out, count);
      break;
    case StepKind::Call:
      CallRow(step.function, step.type, operand(0), operand(1), operand(2), out, count);
      break;
    case StepKind::Convert:
      ConvertRow(step.operand_type, operand(0), step.type, out, count);
      break;
  }
  view.defined = MergeDefined(step, count, scratch);
}

const std::uint8_t* OperatorProgram::MergeDefined(const Step& step, std::size_t count,
                                                  RowScratch& scratch) const {
  RowView operands[3];
  bool all = true;
  for (std::size_t k = 0; k < 3 && step.operands[k] >= 0; ++k) {
    operands[k] = scratch.views[static_cast<std::size_t>(step.operands[k])];
    all = all && operands[k].defined == nullptr;
  }
  if (all) return nullptr;
  std::uint8_t* out = scratch.Defined(static_cast<std::size_t>(step.result));
  std::memset(out, 1, count);
  And(operands[0].defined, out, count);
  if (step.kind == StepKind::Select) {
    // Only the chosen value is evaluated.
    const auto* condition = static_cast<const std::uint8_t*>(operands[0].data);
    for (std::size_t k = 0; k < count; ++k) {
      out[k] &= At(operands[condition[k] != 0 ? 1 : 2].defined, k);
    }
  } else if (step.kind == StepKind::Binary && IsLogical(step.binary)) {
    // The right side is evaluated where the left one does not decide.
    std::uint8_t lhs[kChunk];
    ConvertRow(step.operand_type, operands[0].data, ScalarType::Bool, lhs, count);
    const std::uint8_t deciding = step.binary == BinaryOp::Or ? 1 : 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (lhs[k] != deciding) out[k] &= At(operands[1].defined, k);
    }
  } else {
    And(operands[1].defined, out, count);
    And(operands[2].defined, out, count);
  }
  return std::memchr(out, 0, count) == nullptr ? nullptr : out;
}

void OperatorProgram::Store(Point point, std::size_t count, const RowView& view,
                            Contents& result) const {
  const auto position = [&] {
    std::int64_t sum = 0;
    for (const auto& dimension : target_)
      sum += Position(dimension.index, point) * dimension.stride;
    return sum;
  };
  const std::int64_t first = position();
  std::int64_t step = 1;
  if (count > 1) {
    ++point.back();
    step = position() - first;
  }
  char* out = static_cast<char*>(result.data()) + first * SizeInBytes(type_);
  if (step == 1) {
    std::memmove(out, view.data, count * static_cast<std::size_t>(SizeInBytes(type_)));
  } else {
    ScatterRow(type_, view.data, out, step, count);
  }
  if (view.defined == nullptr && result.defined.empty()) return;
  if (result.defined.empty()) result.defined.assign(SizeOf(result.values), 1);
  std::uint8_t* defined = result.defined.data() + first;
  for (std::size_t k = 0; k < count; ++k) {
    defined[static_cast<std::int64_t>(k) * step] = At(view.defined, k);
  }
}

}  // namespace stencilgen::graph
