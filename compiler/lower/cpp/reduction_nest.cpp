#include "lower/cpp/reduction_nest.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "graph/reduction.h"
#include "lower/reduction_code.h"

namespace stencilgen::lower::cpp {
namespace {

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
Expr Least(std::int64_t number, const Expr& value) {
  return kernel::Call(Function::Min, kernel::kIndex,
                      {kernel::ConvertTo(kernel::kIndex, Number(number)), value});
}

class ReductionNest {
 public:
  ReductionNest(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        point_(model, model.OperatorOf(kernel), NestStyle(model)),
        op_(point_.op()),
        lanes_(op_.reduction->lanes),
        last_(op_.iterators.size() - 1) {}

  LoweredNest Lower() {
    Block body;
    point_.LowerBounds(body, bounds_.lo, bounds_.hi);
    body.Append(point_.code().uniform());
    if (graph::IsWhole(*op_.reduction)) {
      LowerWhole(body);
    } else {
      LowerLanes(body);
    }
    kernel::Function function = NestFunction(model_, kernel_, point_.code(), std::move(body));
    const VarRef& target = model_.Var(model_.TargetOf(op_.result));
    for (kernel::Argument& argument : function.arguments) {
      argument.read = argument.read || (argument.var == target && !graph::IsWhole(*op_.reduction));
    }
    return {{std::move(function)}, NestCall(model_, kernel_, point_.code())};
  }

 private:
  VarRef NewIndex(std::size_t n, std::string_view what) {
    return point_.NewVar(fmt::format("{}_{}", point_.code().IteratorName(n), what), kernel::kIndex);
  }

  void LowerWhole(Block& block) {
    const VarRef total = point_.NewVar("total", kernel::TypeOf(point_.type()));
    block.Add(LetStmt{total, BeginningOf(op_.reduction->op, point_.type()), true});
    Block points;
    point_.Lower(points, Read(total));
    for (std::size_t n = op_.iterators.size(); n-- > 0;) {
      ForStmt loop = LoopOver(point_.code().IteratorVar(n), bounds_, n);
      loop.body = std::move(points);
      points = {};
      points.Add(std::move(loop));
    }
    block.Append(points);
    block.Add(kernel::AssignStmt{point_.ResultAt(Number(0)), AssignOp::Assign, Read(total)});
  }

  void LowerLanes(Block& block) {
    for (std::size_t n = 0; n <= last_; ++n) {
      count_.push_back(nullptr);
      lane_.push_back(nullptr);
      if (lanes_[n] == 1) continue;
      count_[n] = NewIndex(n, "lanes");
      lane_[n] = NewIndex(n, "lane");
      block.Add(LetStmt{count_[n],
                        Least(lanes_[n], Read(bounds_.hi[n]) - Read(bounds_.lo[n]) + Number(1))});
    }
    LowerRowOfLanes(block, 0, Number(0));
  }

  /// The loops over lanes but those along the last iterator; the first one in parallel.
  void LowerRowOfLanes(Block& block, std::size_t n, const Expr& row) {
    if (n == last_) return LowerBlocks(block, row * Number(lanes_[n]));
    if (lanes_[n] == 1) return LowerRowOfLanes(block, n + 1, row);
    ForStmt loop;
    loop.var = lane_[n];
    loop.first = Number(0);
    loop.last = Read(count_[n]) - Number(1);
    if (!parallel_) loop = Shared(std::move(loop));
    LowerRowOfLanes(loop.body, n + 1, row * Number(lanes_[n]) + Read(lane_[n]));
    block.Add(std::move(loop));
  }

  ForStmt Shared(ForStmt loop) {
    parallel_ = true;
    return InParallel(std::move(loop), NestOf(model_, kernel_), bounds_, false);
  }

  /// A row of lanes; a long one in blocks.
  void LowerBlocks(Block& block, const Expr& start) {
    if (lanes_[last_] <= kLanesAtOnce) {
      return LowerBlock(block, start, Number(0), Read(count_[last_]));
    }
    ForStmt loop;
    loop.var = NewIndex(last_, "block");
    loop.first = Number(0);
    loop.last = Read(count_[last_]) - Number(1);
    loop.step = Number(kLanesAtOnce);
    if (!parallel_) loop = Shared(std::move(loop));
    const Expr first = Read(loop.var);
    LowerBlock(loop.body, start + first, first, Least(kLanesAtOnce, Read(count_[last_]) - first));
    block.Add(std::move(loop));
  }

  /// So many lanes from `first` on, which lie at `start` in the result.
  void LowerBlock(Block& block, const Expr& start, const Expr& first, const Expr& count) {
    const VarRef part = NewIndex(last_, "part");
    block.Add(LetStmt{part, start});
    const Expr into = point_.ResultAt(Read(part) + Read(lane_[last_]));
    ForStmt clear = OverLanes(count);
    clear.body.Add(
        kernel::AssignStmt{into, AssignOp::Assign, BeginningOf(op_.reduction->op, point_.type())});
    block.Add(std::move(clear));
    const VarRef from = NewIndex(last_, "first");
    ForStmt pieces;
    pieces.var = from;
    pieces.first = Read(bounds_.lo[last_]) + first;
    pieces.last = Read(bounds_.hi[last_]);
    pieces.step = Number(lanes_[last_]);
    const VarRef here = NewIndex(last_, "count");
    pieces.body.Add(LetStmt{here, Least(std::min(lanes_[last_], kLanesAtOnce),
                                        Read(bounds_.hi[last_]) - Read(from) + Number(1))});
    ForStmt row = OverLanes(Read(here));
    row.body.Add(LetStmt{point_.code().IteratorVar(last_), Read(from) + Read(lane_[last_])});
    point_.Lower(row.body, into);
    pieces.body.Add(std::move(row));
    Block points;
    points.Add(std::move(pieces));
    for (std::size_t n = last_; n-- > 0;) {
      ForStmt loop = LoopOver(point_.code().IteratorVar(n), bounds_, n, lanes_[n]);
      if (lane_[n] != nullptr) loop.first = loop.first + Read(lane_[n]);
      loop.body = std::move(points);
      points = {};
      points.Add(std::move(loop));
    }
    block.Append(points);
  }

  ForStmt OverLanes(const Expr& count) const {
    ForStmt loop;
    loop.var = lane_[last_];
    loop.first = Number(0);
    loop.last = count;
    loop.below = true;
    loop.kind = kernel::LoopKind::Vector;
    return loop;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  ReductionPoint point_;
  const graph::Operator& op_;
  const std::vector<std::int64_t>& lanes_;
  std::size_t last_;
  NestBounds bounds_;
  std::vector<VarRef> count_, lane_;  // by iterator, of those with several lanes
  bool parallel_ = false;             // some loop around is
};

}  // namespace

LoweredNest LowerReduction(const ProgramModel& model, plan::KernelId kernel) {
  return ReductionNest(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cpp
