#include "lower/cpp/reduction_nest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "graph/reduction.h"
#include "lower/domain_bounds.h"
#include "lower/index_math.h"
#include "lower/reduction_code.h"
#include "plan/operator_facts.h"

namespace stencilgen::lower::cpp {
namespace {

using graph::Operator;
using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

// Lanes of a row that stay in the first cache while points are added to them.
constexpr std::int64_t kLanesAtOnce = 1024;

/// The smaller of a number and a value.
Expr LeastOf(std::int64_t number, const Expr& value) {
  return Smaller(kernel::ConvertTo(kernel::kIndex, Number(number)), value);
}

class ReductionNest {
 public:
  ReductionNest(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(*plan::FindReduction(model.graph(), model.plan().kernels[kernel].ops)),
        lanes_(op_.reduction->lanes),
        last_(op_.iterators.size() - 1),
        scope_(&model.scope()),
        part_(NewIndex(last_, "part")),
        total_(kernel::MakeVar(scope_.Claim("total"), TypeOfValues())),
        lane_(NewLanes()),
        code_(model, model.OperatorsOf(kernel), Style()) {}

  LoweredNest Lower() {
    Block body;
    FindRow();
    LowerBounds(body);
    body.Append(code_.uniform());
    if (graph::IsWhole(*op_.reduction)) {
      LowerWhole(body);
    } else {
      LowerLanes(body);
    }
    return CalledNest({NestFunction(model_, kernel_, code_, std::move(body))});
  }

 private:
  kernel::Type TypeOfValues() const { return kernel::TypeOf(model_.graph().exprs[op_.value].type); }

  VarRef NewIndex(std::size_t n, std::string_view what) {
    const auto iterator = static_cast<std::size_t>(op_.iterators[n]);
    return kernel::MakeVar(
        scope_.Claim(fmt::format("{}_{}", model_.graph().iterators[iterator], what)),
        kernel::kIndex);
  }

  std::vector<VarRef> NewLanes() {
    std::vector<VarRef> lanes(last_ + 1);
    lanes[last_] = NewIndex(last_, "lane");
    return lanes;
  }

  OperatorStyle Style() const {
    OperatorStyle style = NestStyle(model_);
    style.scope = &scope_;
    style.lane = [this](const Operator& op) {
      return graph::IsWhole(*op.reduction) ? Read(total_) : LaneOf(op);
    };
    return style;
  }
  /// The lane of the present point, or that of a loop over lanes.
  Expr LaneOf(const Operator& op) const {
    return kernel::ElementAt(model_.Var(model_.TargetOf(op.result)),
                             Read(part_) + Read(lane_[last_]));
  }

  /// Declares the ends of the domain, after it those of no points where its guards fail.
  void LowerBounds(Block& block) {
    const auto form = [&](const graph::LinearForm& linear) { return code_.Form(linear); };
    const Expr guards = GuardOf(op_.domain, form);
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      const graph::Interval& interval = op_.domain.intervals[n];
      bounds_.lo.push_back(NewIndex(n, "lo"));
      bounds_.hi.push_back(NewIndex(n, "hi"));
      block.Add(LetStmt{bounds_.lo[n], LowerOf(interval, form)});
      const Expr last = UpperOf(interval, form);
      const Expr none = Read(bounds_.lo[n]) - Number(1);
      block.Add(LetStmt{bounds_.hi[n], guards.Valid() ? kernel::Choose(guards, last, none) : last});
    }
  }

  /// Code of the inside of rows, where boundary modes are about their ends.
  void FindRow() {
    if (graph::IsWhole(*op_.reduction)) return;
    row_ = code_.FindInsideRow();
    if (!row_) return;
    OperatorStyle style = Style();
    style.inside_row = true;
    style.like = &code_;
    inside_.emplace(model_, model_.OperatorsOf(kernel_), std::move(style));
    // What is before the loops is there once.
    if (kernel::Print(inside_->uniform()) != kernel::Print(code_.uniform())) row_.reset();
  }

  void LowerWhole(Block& block) {
    block.Add(LetStmt{total_, BeginningOf(model_.graph(), op_), true});
    Block points = code_.point();
    for (std::size_t n = op_.iterators.size(); n-- > 0;) {
      ForStmt loop = LoopOver(code_.IteratorVar(n), bounds_, n);
      loop.body = std::move(points);
      points = {};
      points.Add(std::move(loop));
    }
    block.Append(points);
    block.Add(kernel::AssignStmt{code_.Target(op_.target), AssignOp::Assign, Read(total_)});
  }

  bool HasLanes(std::size_t n) const { return lanes_[n] > 1; }

  void LowerLanes(Block& block) {
    count_.resize(last_ + 1);
    bool rows = false;  // of lanes, several
    for (std::size_t n = 0; n <= last_; ++n) {
      if (!HasLanes(n)) continue;
      rows = rows || n < last_;
      count_[n] = NewIndex(n, "lanes");
      const Expr points = Read(bounds_.hi[n]) - Read(bounds_.lo[n]) + Number(1);
      block.Add(LetStmt{count_[n], LeastOf(lanes_[n], points)});
    }
    if (rows) return LowerParts(block);
    LowerBlocks(block);
  }

  /// The rows of lanes in parts, one a thread.
  void LowerParts(Block& block) {
    const plan::LoopNest nest = NestOf(model_, kernel_);
    Expr threads = nest.threads > 0 ? kernel::ConvertTo(kernel::kIndex, Number(nest.threads))
                                    : kernel::Call(kernel::Routine::Threads, kernel::kIndex, {});
    std::vector<VarRef> parts(last_);
    Expr all = Number(1);
    for (std::size_t n = 0; n < last_; ++n) {
      if (!HasLanes(n)) continue;
      parts[n] = NewIndex(n, "parts");
      block.Add(LetStmt{parts[n], Greater(kernel::ConvertTo(kernel::kIndex, Number(1)),
                                          Smaller(threads, Read(count_[n])))});
      threads = FloorDiv(threads, Read(parts[n]));
      all = all * Read(parts[n]);
    }
    ForStmt loop;
    loop.var = kernel::MakeVar(scope_.Claim("thread_part"), kernel::kIndex);
    loop.first = Number(0);
    loop.last = all - Number(1);
    loop = InParallel(std::move(loop), nest, bounds_, false);
    Expr place = Read(loop.var);
    first_.resize(last_);
    end_.resize(last_);
    for (std::size_t n = last_; n-- > 0;) {
      if (!HasLanes(n)) continue;
      const bool outermost =
          std::none_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n),
                       [](const VarRef& var) { return var != nullptr; });
      const Expr own = outermost ? place : kernel::Apply(BinaryOp::Mod, place, Read(parts[n]));
      place = FloorDiv(place, Read(parts[n]));
      first_[n] = NewIndex(n, "first_lane");
      end_[n] = NewIndex(n, "end_lane");
      const auto begin = [&](const Expr& part) {
        return FloorDiv(Read(count_[n]) * part, Read(parts[n]));
      };
      loop.body.Add(LetStmt{first_[n], begin(own)});
      loop.body.Add(LetStmt{end_[n], begin(own + Number(1))});
    }
    LowerClearing(loop.body);
    LowerPoints(loop.body, Number(0));
    block.Add(std::move(loop));
  }

  /// Loops over the part's rows of lanes, without points.
  void LowerClearing(Block& block) {
    Block rows;
    rows.Add(LetStmt{part_, PlaceOfRow()});
    AddClearing(rows, Read(count_[last_]));
    for (std::size_t n = last_; n-- > 0;) {
      if (!HasLanes(n)) continue;
      ForStmt loop;
      loop.var = LaneVar(n);
      loop.first = Read(first_[n]);
      loop.last = Read(end_[n]);
      loop.below = true;
      loop.body = std::move(rows);
      rows = {};
      rows.Add(std::move(loop));
    }
    block.Append(rows);
  }
  void AddClearing(Block& block, const Expr& count) {
    ForStmt clear = OverLanes(Number(0), count);
    for (const Operator* op : model_.OperatorsOf(kernel_)) {
      if (!op->reduction) continue;
      clear.body.Add(
          kernel::AssignStmt{LaneOf(*op), AssignOp::Assign, BeginningOf(model_.graph(), *op)});
    }
    block.Add(std::move(clear));
  }

  const VarRef& LaneVar(std::size_t n) {
    if (lane_[n] == nullptr) lane_[n] = NewIndex(n, "lane");
    return lane_[n];
  }
  /// Of the present row of lanes in memory.
  Expr PlaceOfRow() {
    Expr row = Number(0);
    for (std::size_t n = 0; n < last_; ++n) {
      row = row * Number(lanes_[n]);
      if (HasLanes(n)) row = row + Read(LaneVar(n));
    }
    return row * Number(lanes_[last_]);
  }

  /// Lanes of the only row; many in blocks, which threads share.
  void LowerBlocks(Block& block) {
    const auto lower = [&](Block& into, const Expr& first, const Expr& count) {
      into.Add(LetStmt{part_, first});
      AddClearing(into, count);
      LowerPoints(into, first);
    };
    if (lanes_[last_] <= kLanesAtOnce) return lower(block, Number(0), Read(count_[last_]));
    ForStmt loop;
    loop.var = NewIndex(last_, "block");
    loop.first = Number(0);
    loop.last = Read(count_[last_]) - Number(1);
    loop.step = Number(kLanesAtOnce);
    loop = InParallel(std::move(loop), NestOf(model_, kernel_), bounds_, false);
    const Expr first = Read(loop.var);
    lower(loop.body, first, LeastOf(kLanesAtOnce, Read(count_[last_]) - first));
    block.Add(std::move(loop));
  }

  /// All points of lanes from `first` on of the present rows.
  void LowerPoints(Block& block, const Expr& first) {
    Block points;
    if (!first_.empty()) points.Add(LetStmt{part_, PlaceOfRow()});
    LowerRow(points, first);
    for (std::size_t n = last_; n-- > 0;) {
      if (!HasLanes(n)) {
        ForStmt loop = LoopOver(code_.IteratorVar(n), bounds_, n);
        loop.body = std::move(points);
        points = {};
        points.Add(std::move(loop));
        continue;
      }
      const VarRef round = NewIndex(n, "round");
      ForStmt lane;
      lane.var = LaneVar(n);
      lane.first = Read(first_[n]);
      lane.last = Smaller(Read(end_[n]), Read(bounds_.hi[n]) - Read(round) + Number(1));
      lane.below = true;
      lane.body.Add(LetStmt{code_.IteratorVar(n), Read(round) + Read(lane.var)});
      lane.body.Append(points);
      ForStmt rounds = LoopOver(round, bounds_, n, lanes_[n]);
      rounds.body.Add(std::move(lane));
      points = {};
      points.Add(std::move(rounds));
    }
    block.Append(points);
  }

  /// A row of points in pieces that fill the row of lanes.
  void LowerRow(Block& block, const Expr& first) {
    ForStmt pieces;
    pieces.var = NewIndex(last_, "first");
    pieces.first = Read(bounds_.lo[last_]) + first;
    pieces.last = Read(bounds_.hi[last_]);
    pieces.step = Number(lanes_[last_]);
    const VarRef here = NewIndex(last_, "count");
    const Expr left = Read(bounds_.hi[last_]) - Read(pieces.var) + Number(1);
    pieces.body.Add(LetStmt{here, LeastOf(std::min(lanes_[last_], kLanesAtOnce), left)});
    if (row_) {
      LowerEnds(pieces.body, pieces.var, here);
    } else {
      pieces.body.Add(PiecePoints(code_, pieces.var, Number(0), Read(here)));
    }
    block.Add(std::move(pieces));
  }
  ForStmt PiecePoints(const OperatorCode& code, const VarRef& piece, const Expr& first,
                      const Expr& end) const {
    ForStmt points = OverLanes(first, end);
    points.body.Add(LetStmt{code_.IteratorVar(last_), Read(piece) + Read(lane_[last_])});
    points.body.Append(code.point());
    return points;
  }
  /// The inside of the row, which reads nothing beyond its ends, and then both ends.
  void LowerEnds(Block& block, const VarRef& piece, const VarRef& here) {
    const VarRef first = NewIndex(last_, "inside");
    const VarRef end = NewIndex(last_, "inside_end");
    const Expr none = kernel::ConvertTo(kernel::kIndex, Number(0));
    Expr last = Read(bounds_.hi[last_]);
    for (const Expr& each : row_->lasts) {
      last = Smaller(last, kernel::ConvertTo(kernel::kIndex, each));
    }
    const Expr offset = kernel::ConvertTo(kernel::kIndex, Number(row_->first)) - Read(piece);
    block.Add(LetStmt{first, Smaller(Read(here), Greater(none, offset))});
    block.Add(
        LetStmt{end, Greater(Read(first), Smaller(Read(here), last - Read(piece) + Number(1)))});
    block.Add(PiecePoints(*inside_, piece, Read(first), Read(end)));
    ForStmt ends = PiecePoints(code_, piece, Number(0), Read(here));
    ends.kind = kernel::LoopKind::Serial;
    Block point = std::exchange(ends.body, {});
    const Expr lane = Read(lane_[last_]);
    kernel::IfStmt skip{kernel::Apply(BinaryOp::Equal, lane, Read(first)), {}, {}};
    skip.then_block.Add(kernel::AssignStmt{lane, AssignOp::Assign, Read(end)});
    ends.body.Add(std::move(skip));
    kernel::IfStmt leave{kernel::Apply(BinaryOp::GreaterEqual, lane, Read(here)), {}, {}};
    leave.then_block.Add(kernel::JumpStmt{kernel::Jump::Break});
    ends.body.Add(std::move(leave));
    ends.body.Append(point);
    block.Add(std::move(ends));
  }

  ForStmt OverLanes(const Expr& first, const Expr& end) const {
    ForStmt loop;
    loop.var = lane_[last_];
    loop.first = first;
    loop.last = end;
    loop.below = true;
    loop.kind = kernel::LoopKind::Vector;
    return loop;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const Operator& op_;  ///< a reduction: all have its points, and its lanes
  const std::vector<std::int64_t>& lanes_;
  std::size_t last_;
  NameScope scope_;
  VarRef part_;               ///< where the present row of lanes begins in memory
  VarRef total_;              ///< of a whole reduction
  std::vector<VarRef> lane_;  ///< by iterator, of those with several lanes and the last
  OperatorCode code_;
  std::optional<OperatorCode::InsideRow> row_;
  std::optional<OperatorCode> inside_;  ///< of points inside a row, where that differs
  NestBounds bounds_;
  std::vector<VarRef> count_;        ///< by iterator with lanes: how many have points
  std::vector<VarRef> first_, end_;  ///< of lanes of the part, where rows are in parts
};

}  // namespace

LoweredNest LowerReduction(const ProgramModel& model, plan::KernelId kernel) {
  return ReductionNest(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cpp
