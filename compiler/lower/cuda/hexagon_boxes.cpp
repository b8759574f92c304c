#include "lower/cuda/hexagon_boxes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/index_math.h"
#include "plan/time_band.h"

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

namespace {

/// The same place as `int`. Sums of coordinates and numbers are computed as such.
Expr Short(const Expr& place) {
  if (place.type() == kernel::kInt || kernel::NumberOf(place)) return place;
  if (const auto* convert = place.As<kernel::ConvertExpr>();
      convert != nullptr && convert->operand.type() == kernel::kInt) {
    return convert->operand;
  }
  if (const auto* sum = place.As<kernel::BinaryExpr>()) {
    if (sum->op == BinaryOp::Add) return Short(sum->lhs) + Short(sum->rhs);
    if (sum->op == BinaryOp::Sub) return Short(sum->lhs) - Short(sum->rhs);
  }
  return kernel::ConvertTo(kernel::kInt, place);
}

}  // namespace

HexagonBoxes::HexagonBoxes(const ProgramModel& model, const plan::Repeat& repeat,
                           const BandSpace& space, const HexagonRanges& ranges, NameScope& names,
                           VarRef phase)
    : model_(model),
      space_(space),
      ranges_(ranges),
      band_(*repeat.band),
      storage_(plan::StorageOf(model.plan(), repeat)),
      value_(names.Claim("value")),
      phase_(std::move(phase)),
      base_(kernel::MakeVar(names.Claim("base"), kernel::kInt)) {
  const auto add = [&](std::vector<VarRef>& vars, const std::string& name) {
    vars.push_back(kernel::MakeVar(names.Claim(name), kernel::kInt));
  };
  for (std::size_t n = 0; n < space_.Rank(); ++n) {
    const std::string name = space_.IteratorName(n);
    add(numbers_, name + "_strip");
    add(strips_, name + "_begin");
    add(firsts_, name + "_strip_first");
    add(lasts_, name + "_strip_last");
    add(at_, name);
    add(lo_, name + "_from");
    add(hi_, name + "_to");
  }
  for (const plan::HexagonBox& box : storage_.boxes) {
    boxes_.push_back(kernel::MakeVar(names.Claim(model_.Name(box.buffer) + "_box"),
                                     kernel::TypeOf(model_.plan().buffers[box.buffer].type),
                                     kernel::Storage::Shared));
  }
}

kernel::LaunchRange HexagonBoxes::Tiles(std::string name) const {
  const plan::ElementRange rows = plan::RowsOf(band_);
  return {std::move(name),
          space_.FirstOf(0) + Number(plan::PitchOf(band_) / 2 + rows.first - rows.last - 1),
          space_.LastOf(0)};
}

void HexagonBoxes::Declare(Block& block) const {
  const plan::ElementRange rows = plan::RowsOf(band_);
  const std::int64_t pitch = plan::PitchOf(band_);
  const Expr odd =
      kernel::Apply(BinaryOp::Mod, kernel::ConvertTo(kernel::kInt, Read(phase_)), Number(2));
  // Of tiles that begin half a pitch later the one before the first ends before the first point.
  block.Add(LetStmt{base_, ranges_.First(0) - Number(rows.last + 1 - pitch / 2) +
                               kernel::GridPlace(kernel::PlaceExpr::What::Block, 0, kernel::kInt) *
                                   Number(pitch) +
                               odd * Number(pitch / 2)});
  for (std::size_t number = 0; number < boxes_.size(); ++number) {
    block.Add(kernel::SharedStmt{boxes_[number], storage_.boxes[number].byte_offset, 0});
  }
}

ForStmt HexagonBoxes::OverStrips(Block& before, std::size_t n) const {
  const auto strip_of = [&](const Expr& place) {
    return kernel::ConvertTo(kernel::kInt,
                             FloorDiv(kernel::ConvertTo(kernel::kIndex, place), Number(Width(n))));
  };
  before.Add(LetStmt{firsts_[n], strip_of(ranges_.First(n))});
  before.Add(
      LetStmt{lasts_[n], strip_of(ranges_.Last(n) + Number(-storage_.written[n - 1].first))});
  ForStmt strips;
  strips.var = numbers_[n];
  strips.first = Read(firsts_[n]);
  strips.last = Read(lasts_[n]);
  strips.body.Add(LetStmt{strips_[n], Read(numbers_[n]) * Number(Width(n))});
  return strips;
}

BandSpace::Ends HexagonBoxes::LoadedAlong(const plan::HexagonBox& box, std::size_t n) const {
  if (n == 0) {
    return {{Read(base_) + Number(box.rows.first)}, {Read(base_) + Number(box.rows.last)}};
  }
  const Expr begin = Read(strips_[n]);
  const plan::ElementRange& used = storage_.used[n - 1];
  Expr low = begin + Number(used.first);
  if (IsLast(n)) {
    low = kernel::Choose(kernel::Apply(BinaryOp::Equal, Read(numbers_[n]), Read(firsts_[n])), low,
                         begin + Number(used.last - Width(n) + 1));
  }
  return {{low}, {begin + Number(used.last)}};
}

BandSpace::Ends HexagonBoxes::StoredAlong(std::size_t n) const {
  BandSpace::Ends ends = {{ranges_.First(n)}, {ranges_.Last(n)}};
  Expr low;
  Expr high;
  if (n == 0) {
    low = Read(base_) + Number(storage_.stored.first);
    high = Read(base_) + Number(storage_.stored.last);
  } else {
    const plan::ElementRange& written = storage_.written[n - 1];
    low = Read(strips_[n]) + Number(written.first);
    high = IsLast(n) ? low + Number(Width(n) - 1) : Read(strips_[n]) + Number(written.last);
  }
  ends.lows.push_back(low);
  ends.highs.push_back(high);
  return ends;
}

void HexagonBoxes::Move(Block& block, std::size_t number, bool stores) const {
  const plan::HexagonBox& box = storage_.boxes[number];
  const plan::Buffer& buffer = model_.plan().buffers[box.buffer];
  kernel::ScopeStmt scope;
  std::vector<Expr> places;
  Expr position = Number(0);
  for (std::size_t n = 0; n < space_.Rank(); ++n) {
    const Expr extent = model_.Form(buffer.extents[n]);
    BandSpace::Ends ends = stores ? StoredAlong(n) : LoadedAlong(box, n);
    ends.lows.push_back(Number(0));
    ends.highs.push_back(Short(extent - Number(1)));
    scope.body.Add(LetStmt{lo_[n], LargestHere(ends.lows)});
    scope.body.Add(LetStmt{hi_[n], LeastHere(ends.highs)});
    places.push_back(Read(at_[n]));
    if (n > 0) position = position * extent;
    position = position + kernel::ConvertTo(kernel::kIndex, Read(at_[n]));
  }
  const Expr held = *Find(box.buffer, places);
  const Expr memory = kernel::ElementAt(model_.DeviceVar(box.buffer), position);
  Block moved;
  Expr value = stores ? held : memory;
  if (stores && buffer.format != ElementFormat::Plain) {  // rounds a value, not an element
    const VarRef rounded = kernel::MakeVar(value_, held.type());
    moved.Add(LetStmt{rounded, held});
    value = Read(rounded);
  }
  moved.Add(kernel::AssignStmt{stores ? memory : held, AssignOp::Assign, value});
  for (std::size_t n = space_.Rank(); n-- > 0;) {
    moved = OverPlaces(n, at_[n], Read(lo_[n]), Read(hi_[n]), std::move(moved));
  }
  scope.body.Append(moved);
  block.Add(std::move(scope));
}

void HexagonBoxes::Load(Block& block) const {
  for (std::size_t number = 0; number < boxes_.size(); ++number) Move(block, number, false);
}

void HexagonBoxes::Store(Block& block) const {
  for (std::size_t number = 0; number < boxes_.size(); ++number) {
    if (storage_.boxes[number].written) Move(block, number, true);
  }
}

std::set<graph::ParameterId> HexagonBoxes::Parameters() const {
  std::set<graph::ParameterId> parameters;
  for (const plan::HexagonBox& box : storage_.boxes) {
    for (const graph::LinearForm& extent : model_.plan().buffers[box.buffer].extents) {
      for (const auto& [id, factor] : extent.terms) parameters.insert(id);
    }
  }
  return parameters;
}

std::optional<Expr> HexagonBoxes::Find(plan::BufferId memory,
                                       const std::vector<Expr>& indices) const {
  const auto at = std::find_if(storage_.boxes.begin(), storage_.boxes.end(),
                               [&](const plan::HexagonBox& box) { return box.buffer == memory; });
  if (at == storage_.boxes.end()) return std::nullopt;
  Expr position = Short(indices[0]) - Read(base_) + Number(-at->rows.first);
  for (std::size_t n = 1; n < indices.size(); ++n) {
    const std::int64_t extent = storage_.extents[n - 1];
    const Expr place =
        IsLast(n) ? kernel::Apply(BinaryOp::BitAnd, Short(indices[n]), Number(extent - 1))
                  : Short(indices[n]) - Read(strips_[n]) + Number(-storage_.used[n - 1].first);
    position = position * Number(extent) + place;
  }
  return kernel::ElementAt(boxes_[static_cast<std::size_t>(at - storage_.boxes.begin())], position);
}

int HexagonBoxes::ThreadsAlong(std::size_t n) const {
  const std::size_t letter = space_.Rank() - 1 - n;
  return letter < band_.hexagon->block.size() ? band_.hexagon->block[letter] : 1;
}

Expr HexagonBoxes::ThreadAlong(std::size_t n) const {
  return kernel::GridPlace(kernel::PlaceExpr::What::Thread, static_cast<int>(space_.Rank() - 1 - n),
                           kernel::kInt);
}

Block HexagonBoxes::OverPlaces(std::size_t n, const VarRef& at, const Expr& lo, const Expr& hi,
                               Block body) const {
  ForStmt loop;
  loop.var = at;
  loop.first = ThreadsAlong(n) > 1 ? lo + ThreadAlong(n) : lo;
  loop.last = hi;
  loop.step = Number(ThreadsAlong(n));
  loop.body = std::move(body);
  Block block;
  block.Add(std::move(loop));
  return block;
}

void HexagonBoxes::AddUses(OperatorCode::Uses& uses) const {
  for (const plan::HexagonBox& box : storage_.boxes) {
    uses[box.buffer].read = true;
    uses[box.buffer].written |= box.written;
  }
}

}  // namespace stencilgen::lower::cuda
