#include "lower/cpp/loop_nest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lower/cpp/aligned_rows.h"
#include "lower/cpp/line_rows.h"
#include "lower/cpp/ring_rows.h"
#include "lower/cpp/shifted_rows.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

class LoopNest {
 public:
  LoopNest(const ProgramModel& model, plan::KernelId kernel, NestPoints points)
      : model_(model),
        kernel_(kernel),
        points_(points),
        op_(model.OperatorOf(kernel)),
        nest_(NestOf(model, kernel)),
        code_(model, model.OperatorsOf(kernel), NestStyle(model)) {}

  LoweredNest Lower() {
    Block body;
    row_ = code_.FindInsideRow();
    if (row_) {
      OperatorStyle style = NestStyle(model_);
      style.inside_row = true;
      style.like = &code_;
      inside_.emplace(model_, model_.OperatorsOf(kernel_), std::move(style));
      // What is before the loops is there once.
      if (kernel::Print(inside_->uniform()) != kernel::Print(code_.uniform())) row_.reset();
    }
    bounds_ = LowerBounds(body, op_, code_, points_);
    body.Append(code_.uniform());
    if (points_ == NestPoints::All && nest_.past_caches) {
      lines_.emplace(model_, kernel_, code_);
      lines_->LowerChoice(body, bounds_, code_);
    }
    if (points_ == NestPoints::Box) {
      if (nest_.shifts && !op_.iterators.empty())
        shifted_ = ShiftedRows::Find(code_, row_ ? *inside_ : code_, LastIterator());
      if (shifted_) shifted_->LowerNames(body);
      FindRing();
      if (ring_) ring_->LowerNames(body);
      if (ring_) {
        LowerWithRing(body);
      } else {
        LowerLoop(body, 0);
      }
      return CalledNest({BoxFunction(model_, kernel_, code_, bounds_, std::move(body))});
    }
    LowerTiles(body, nest_, code_, bounds_, [&](Block& block) { LowerLoop(block, 0); });
    return CalledNest({NestFunction(model_, kernel_, code_, std::move(body))});
  }

 private:
  int PointsAlong(std::size_t n) const { return nest_.points[n]; }
  const VarRef& LastIterator() const { return code_.IteratorVar(op_.iterators.size() - 1); }

  /// How the n-th loop runs.
  ForStmt WithKind(ForStmt loop, std::size_t n) const {
    const std::size_t count = op_.iterators.size();
    if (n == 0 && points_ == NestPoints::All) {
      return InParallel(std::move(loop), nest_, bounds_, count == 1);
    }
    if (n + 1 == count) loop.kind = kernel::LoopKind::Vector;
    return loop;
  }

  /// The points of a row from `first` to `last`: those up to where stores are aligned, and then the
  /// others.
  void LowerPoints(Block& block, std::size_t n, const Expr& first, const Expr& last) {
    if (shifted_) return shifted_->LowerRow(block, first, last);
    ForStmt points = WithKind(LoopOver(code_.IteratorVar(n), bounds_, n), n);
    points.first = first;
    points.last = last;
    LowerBlock(points.body, 0);
    const auto start = blocks_.empty() ? FindRowStart(model_, op_, *point_, first) : std::nullopt;
    if (!start) return block.Add(std::move(points));
    const std::string& name = code_.IteratorName(n);
    const VarRef aligned = NewIndex(name + "_aligned");
    const VarRef part = NewIndex("part");
    const VarRef from = NewIndex(name + "_from");
    const VarRef to = NewIndex(name + "_to");
    block.Add(LetStmt{aligned, FirstAligned(*start, first, last)});
    AddInParts(block, std::move(points), {first, Read(aligned) - Number(1)}, {Read(aligned), last},
               {part, from, to});
  }

  /// In tiles along two iterators rows are whole. Points side by side have code of their own.
  void FindRing() {
    const bool are_whole = op_.iterators.size() > 2 && row_ && !shifted_;
    const bool single = std::all_of(nest_.points.begin(), nest_.points.end(),
                                    [](int points) { return points == 1; });
    if (!are_whole || !single) return;
    ring_ = RingRows::Find(model_, model_.OperatorsOf(kernel_), code_, *inside_);
  }

  /// Loops over whole rows, and others: with the choice in the loops compilers keep less out of
  /// them (periodic heat, 256^3: 1.05 times the time).
  void LowerWithRing(Block& block) {
    const std::size_t last = op_.iterators.size() - 1;
    kernel::IfStmt whole{ring_->IsWhole(Read(bounds_.lo[last]), Read(bounds_.hi[last])), {}, {}};
    in_ring_ = true;
    LowerLoop(whole.then_block, 0);
    in_ring_ = false;
    LowerLoop(whole.else_block, 0);
    block.Add(std::move(whole));
  }

  /// The inside of a row, which reads nothing beyond its ends, and then both its ends.
  void LowerRow(Block& block, std::size_t n) {
    if (in_ring_) return ring_->LowerRow(block);
    const VarRef& iterator = code_.IteratorVar(n);
    const VarRef first = NewIndex(fmt::format("{}_inside_lo", iterator->name));
    const VarRef last = NewIndex(fmt::format("{}_inside_hi", iterator->name));
    Expr least = Read(bounds_.hi[n]);
    for (const Expr& each : row_->lasts) {
      least = Smaller(least, kernel::ConvertTo(kernel::kIndex, each));
    }
    block.Add(LetStmt{first, Greater(Read(bounds_.lo[n]),
                                     kernel::ConvertTo(kernel::kIndex, Number(row_->first)))});
    block.Add(LetStmt{last, Greater(Read(first) - Number(1), least)});
    if (lines_) {
      lines_->LowerRow(block, *inside_, Read(first), Read(last));
    } else {
      point_ = &*inside_;
      LowerPoints(block, n, Read(first), Read(last));
      point_ = &code_;
    }
    ForStmt ends = LoopOver(iterator, bounds_, n);
    kernel::IfStmt skip{kernel::Apply(BinaryOp::Equal, Read(iterator), Read(first)), {}, {}};
    skip.then_block.Add(
        kernel::AssignStmt{Read(iterator), AssignOp::Assign, Read(last) + Number(1)});
    ends.body.Add(std::move(skip));
    kernel::IfStmt leave{
        kernel::Apply(BinaryOp::Greater, Read(iterator), Read(bounds_.hi[n])), {}, {}};
    leave.then_block.Add(kernel::JumpStmt{kernel::Jump::Break});
    ends.body.Add(std::move(leave));
    LowerBlock(ends.body, 0);
    block.Add(std::move(ends));
  }

  /// The loops over blocks of points; where one is not full, loops over its points.
  void LowerLoop(Block& block, std::size_t n) {
    const std::size_t count = op_.iterators.size();
    if (n == count) return LowerBlock(block, 0);
    if (n + 1 == count && !blocks_.empty()) LowerPartialBlock(block);
    if (n + 1 == count && row_) return LowerRow(block, n);
    if (n + 1 == count && lines_) {
      return lines_->LowerRow(block, code_, Read(bounds_.lo[n]), Read(bounds_.hi[n]));
    }
    const int points = PointsAlong(n);
    const bool alone = n == 0 && points_ == NestPoints::All;  // threads share the points
    if (!alone && n + 1 == count && points == 1 && blocks_.empty()) {
      return LowerPoints(block, n, Read(bounds_.lo[n]), Read(bounds_.hi[n]));
    }
    if (points > 1) blocks_.push_back({n, NewIndex(code_.IteratorName(n) + "_first"), points});
    const VarRef& var = points > 1 ? blocks_.back().first : code_.IteratorVar(n);
    ForStmt loop = WithKind(LoopOver(var, bounds_, n, points), n);
    LowerLoop(loop.body, n + 1);
    if (n == 0 && lines_) loop.body.Add(kernel::FenceStmt{});
    block.Add(std::move(loop));
  }

  /// All points of a full block.
  void LowerBlock(Block& block, std::size_t k) const {
    if (k == blocks_.size()) return block.Append(point_->point());
    const BlockLoop& loop = blocks_[k];
    for (int point = 0; point < loop.points; ++point) {
      kernel::ScopeStmt scope;
      scope.body.Add(LetStmt{code_.IteratorVar(loop.iterator), Read(loop.first) + Number(point)});
      LowerBlock(scope.body, k + 1);
      block.Add(std::move(scope));
    }
  }

  void LowerPartialBlock(Block& block) const {
    Expr partial;
    for (const BlockLoop& loop : blocks_) {
      const Expr beyond =
          kernel::Apply(BinaryOp::Greater, Read(loop.first) + Number(loop.points - 1),
                        Read(bounds_.hi[loop.iterator]));
      partial = partial.Valid() ? kernel::Apply(BinaryOp::Or, partial, beyond) : beyond;
    }
    kernel::IfStmt condition{partial, {}, {}};
    LowerPartialLoop(condition.then_block, 0);
    condition.then_block.Add(kernel::JumpStmt{kernel::Jump::Continue});
    block.Add(std::move(condition));
  }

  void LowerPartialLoop(Block& block, std::size_t k) const {
    const std::size_t last = op_.iterators.size() - 1;
    if (k == blocks_.size()) {
      ForStmt row = LoopOver(code_.IteratorVar(last), bounds_, last);
      row.kind = kernel::LoopKind::Vector;
      row.body.Append(point_->point());
      return block.Add(std::move(row));
    }
    const BlockLoop& each = blocks_[k];
    ForStmt loop = LoopOver(code_.IteratorVar(each.iterator), bounds_, each.iterator);
    loop.first = Read(each.first);
    loop.last =
        Smaller(Read(each.first) + Number(each.points - 1), Read(bounds_.hi[each.iterator]));
    LowerPartialLoop(loop.body, k + 1);
    block.Add(std::move(loop));
  }

  VarRef NewIndex(const std::string& wish) {
    return kernel::MakeVar(code_.Claim(wish), kernel::kIndex);
  }

  /// A loop whose turns compute several points along its iterator.
  struct BlockLoop {
    std::size_t iterator = 0;
    VarRef first;  ///< the variable with the first of them
    int points = 1;
  };

  const ProgramModel& model_;
  plan::KernelId kernel_;
  NestPoints points_;
  const graph::Operator& op_;  ///< the first: all have its points
  const plan::LoopNest nest_;
  OperatorCode code_;
  std::optional<OperatorCode::InsideRow> row_;
  std::optional<OperatorCode> inside_;  ///< of points inside a row, where that differs
  const OperatorCode* point_ = &code_;  ///< what the present loops compute
  std::optional<LineRows> lines_;       ///< where results are stored past the caches
  std::optional<ShiftedRows> shifted_;  ///< where neighbours come from registers
  std::optional<RingRows> ring_;        ///< of whole rows that wrap around
  bool in_ring_ = false;                ///< the present loops have them
  NestBounds bounds_;
  std::vector<BlockLoop> blocks_;  ///< around the present place, outermost first
};

}  // namespace

LoweredNest LowerLoopNest(const ProgramModel& model, plan::KernelId kernel, NestPoints points) {
  return LoopNest(model, kernel, points).Lower();
}

}  // namespace stencilgen::lower::cpp
