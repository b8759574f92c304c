#include "graph/interpret_operator.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "graph/interpret_rows.h"
#include "support/check.h"
#include "support/parallel.h"

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
                        return a.place < 0 && SameIndex(a.index, b.index) && a.extent == b.extent;
                      });
  });
}

std::vector<Range> OperatorProgram::WrittenBox() const {
  if (empty_ || !TargetInside()) return {};
  std::vector<Range> box;
  std::vector<bool> walked(ranges_.size(), false);
  for (const RunAccess::Dimension& dimension : target_) {
    const RunIndex& index = dimension.index;
    if (index.axis < 0) {
      box.push_back({index.offset, index.offset});
      continue;
    }
    const auto axis = static_cast<std::size_t>(index.axis);
    if (index.coefficient != 1 || walked[axis]) return {};
    walked[axis] = true;
    box.push_back({ranges_[axis].lo + index.offset, ranges_[axis].hi + index.offset});
  }
  return box;
}

std::string OperatorProgram::Execute(const std::vector<std::shared_ptr<Contents>>& contents,
                                     Contents& result, std::vector<RowScratch>& threads,
                                     std::size_t points_a_thread) const {
  if (reduction_) {
    Reduce(contents, result, threads.front());
    return "";
  }
  if (empty_) return "";
  if (!TargetInside()) return fmt::format("stencil '{}' writes outside its array", name_);
  const Execution execution = Prepare(contents);
  if (result.defined.empty() && execution.may_lack_values) {
    result.defined.assign(SizeOf(result.values), 1);
  }
  const std::size_t parts =
      std::clamp<std::size_t>(execution.rows * execution.row / points_a_thread, 1,
                              std::min(threads.size(), execution.rows));
  ForEachInParallel(parts, parts, [&](std::size_t part) {
    RunRows(execution, execution.rows * part / parts, execution.rows * (part + 1) / parts, result,
            threads[part]);
  });
  std::vector<std::uint8_t>& defined = result.defined;
  if (!defined.empty() && std::memchr(defined.data(), 0, defined.size()) == nullptr) {
    defined.clear();
  }
  return "";
}

OperatorProgram::Execution OperatorProgram::Prepare(
    const std::vector<std::shared_ptr<Contents>>& contents) const {
  Execution execution;
  for (std::size_t axis = 0; axis < ranges_.size(); ++axis) {
    const auto size = static_cast<std::size_t>(ranges_[axis].size());
    (axis + 1 < ranges_.size() ? execution.rows : execution.row) *= size;
  }
  execution.target = PlaceOf(target_);
  for (const RunAccess& access : reads_) {
    RunRead read;
    read.contents = contents[access.version.index].get();
    read.inside = std::all_of(access.dimensions.begin(), access.dimensions.end(),
                              [&](const auto& dimension) { return IsInside(dimension); });
    if (read.inside) read.place = PlaceOf(access.dimensions);
    const bool exists =
        std::all_of(access.dimensions.begin(), access.dimensions.end(), [&](const auto& dimension) {
          return IsInside(dimension) || dimension.boundary.kind != BoundaryKind::None;
        });
    if (!exists || !read.contents->defined.empty()) execution.may_lack_values = true;
    execution.reads.push_back(read);
  }
  return execution;
}

bool OperatorProgram::TargetInside() const {
  return std::all_of(target_.begin(), target_.end(),
                     [&](const auto& dimension) { return IsInside(dimension); });
}

/// An index is linear: inside at both ends of its iterator's range, it is inside between them.
bool OperatorProgram::IsInside(const RunAccess::Dimension& dimension) const {
  if (dimension.place >= 0) return false;  // known where it is read
  const auto inside = [&](std::int64_t value) {
    Point point;
    if (dimension.index.axis >= 0) point[static_cast<std::size_t>(dimension.index.axis)] = value;
    const std::int64_t x = Position(dimension.index, point);
    return 0 <= x && x < dimension.extent;
  };
  if (dimension.index.axis < 0) return inside(0);
  const Range& range = ranges_[static_cast<std::size_t>(dimension.index.axis)];
  return inside(range.lo) && inside(range.hi);
}

/// Requires: the dimensions are inside, so that nothing here overflows.
Place OperatorProgram::PlaceOf(const std::vector<RunAccess::Dimension>& dimensions) const {
  Place place;
  place.first = RowStart(0);
  for (const RunAccess::Dimension& dimension : dimensions) {
    const RunIndex& index = dimension.index;
    place.start += Position(index, place.first) * dimension.stride;
    if (index.axis < 0) continue;
    const auto axis = static_cast<std::size_t>(index.axis);
    if (ranges_[axis].size() > 1) place.step[axis] += index.coefficient * dimension.stride;
  }
  return place;
}

Point OperatorProgram::RowStart(std::size_t row) const {
  Point point;
  point.size = ranges_.size();
  if (point.empty()) return point;
  point.back() = ranges_.back().lo;
  for (std::size_t axis = point.size - 1; axis-- > 0;) {
    const auto size = static_cast<std::size_t>(ranges_[axis].size());
    point[axis] = ranges_[axis].lo + static_cast<std::int64_t>(row % size);
    row /= size;
  }
  return point;
}

void OperatorProgram::RunRows(const Execution& execution, std::size_t begin, std::size_t end,
                              Contents& result, RowScratch& scratch) const {
  scratch.Prepare(static_cast<std::size_t>(slot_count_), std::min(execution.row, kChunk));
  for (const Step& step : once_) Run(step, execution, RowStart(begin), scratch.chunk, scratch);
  for (std::size_t row = begin; row < end; ++row) {
    Point point = RowStart(row);
    for (std::size_t done = 0; done < execution.row; done += scratch.chunk) {
      const std::size_t count = std::min(scratch.chunk, execution.row - done);
      for (const Step& step : steps_) Run(step, execution, point, count, scratch);
      Store(execution.target, point, count, scratch.views[static_cast<std::size_t>(value_slot_)],
            result);
      if (!point.empty()) point.back() += static_cast<std::int64_t>(count);
    }
  }
}

RowView OperatorProgram::Read(const RunAccess& access, const RunRead& read, const Point& point,
                              std::size_t count, void* values, std::uint8_t* defined) const {
  const bool in_order = read.inside && (count == 1 || read.place.step[point.size - 1] == 1);
  if (!in_order) return ReadRow(access, *read.contents, point, count, values, defined);
  const std::int64_t position = read.place.At(point);
  RowView view{
      static_cast<const char*>(read.contents->data()) + position * SizeInBytes(access.type),
      nullptr};
  if (read.contents->defined.empty()) return view;
  const std::uint8_t* mask = read.contents->defined.data() + position;
  if (std::memchr(mask, 0, count) != nullptr) view.defined = mask;
  return view;
}

void OperatorProgram::Run(const Step& step, const Execution& execution, const Point& point,
                          std::size_t count, RowScratch& scratch) const {
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
      if (axis + 1 < point.size) return FillRow(ScalarType::Int, 0, point[axis], out, count);
      return IotaRow(point[axis], static_cast<std::int32_t*>(out), count);
    }
    case StepKind::Read: {
      const auto read = static_cast<std::size_t>(step.integer);
      view = Read(reads_[read], execution.reads[read], point, count, out, scratch.Defined(slot));
      return;
    }
    case StepKind::ReadPlaces:
      view = ReadAtPlaces(step, execution, point, count, scratch);
      return;
    case StepKind::Unary:
      UnaryRow(step.unary, step.operand_type, operand(0), out, count);
      break;
    case StepKind::Binary:
      BinaryRow(step.binary, step.operand_type, operand(0), operand(1), out, count);
      break;
    case StepKind::ProductSum:
      ProductSumRow(step.binary, step.product_first, step.type, operand(0), operand(1), operand(2),
                    out, count);
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

/// A place that has no value is some place: the element has none either.
RowView OperatorProgram::ReadAtPlaces(const Step& step, const Execution& execution,
                                      const Point& point, std::size_t count,
                                      RowScratch& scratch) const {
  const auto read = static_cast<std::size_t>(step.integer);
  const RunAccess& access = reads_[read];
  std::array<const std::int32_t*, kMostDimensions> places{};
  for (std::size_t d = 0; d < access.dimensions.size(); ++d) {
    const int operand = access.dimensions[d].place;
    if (operand < 0) continue;
    const auto slot = static_cast<std::size_t>(step.operands[operand]);
    places[d] = static_cast<const std::int32_t*>(scratch.views[slot].data);
  }
  const auto slot = static_cast<std::size_t>(step.result);
  std::vector<std::uint8_t> own(count);
  RowView view = ReadPlaces(access, *execution.reads[read].contents, point, count, places,
                            scratch.Values(slot), own.data());
  const std::uint8_t* merged = MergeDefined(step, count, scratch);
  if (view.defined == nullptr) {
    view.defined = merged;
    return view;
  }
  std::uint8_t* out = scratch.Defined(slot);
  for (std::size_t k = 0; k < count; ++k) out[k] = own[k] & At(merged, k);
  view.defined = out;
  return view;
}

const std::uint8_t* OperatorProgram::MergeDefined(const Step& step, std::size_t count,
                                                  RowScratch& scratch) const {
  RowView operands[kMostDimensions];
  bool all = true;
  for (std::size_t k = 0; k < kMostDimensions && step.operands[k] >= 0; ++k) {
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
    for (std::size_t k = 1; k < kMostDimensions; ++k) And(operands[k].defined, out, count);
  }
  return std::memchr(out, 0, count) == nullptr ? nullptr : out;
}

void OperatorProgram::Store(const Place& target, const Point& point, std::size_t count,
                            const RowView& view, Contents& result) const {
  const std::int64_t first = target.At(point);
  const std::int64_t step = count == 1 ? 1 : target.step[point.size - 1];
  char* out = static_cast<char*>(result.data()) + first * SizeInBytes(type_);
  if (step == 1) {
    std::memmove(out, view.data, count * static_cast<std::size_t>(SizeInBytes(type_)));
  } else {
    ScatterRow(type_, view.data, out, step, count);
  }
  if (result.defined.empty()) return;
  std::uint8_t* defined = result.defined.data() + first;
  for (std::size_t k = 0; k < count; ++k) {
    defined[static_cast<std::int64_t>(k) * step] = At(view.defined, k);
  }
}

}  // namespace stencilgen::graph
