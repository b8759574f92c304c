#include "lower/cpp/vector_nest.h"

#include <set>
#include <utility>
#include <vector>

#include "kernel/parts.h"
#include "lower/cpp/aligned_rows.h"

namespace stencilgen::lower::cpp {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

class VectorNest {
 public:
  VectorNest(const ProgramModel& model, plan::KernelId kernel, const VectorKernel& vectors,
             NestPoints points)
      : model_(model),
        kernel_(kernel),
        points_(points),
        vectors_(vectors),
        op_(model.OperatorOf(kernel)),
        nest_(NestOf(model, kernel)),
        code_(model, op_, NestStyle(model)),
        rest_(code_.Claim(NestName(model, kernel, points) + "_points")),
        width_(kernel::MakeVar(code_.Claim("width"), kernel::kIndex)) {}

  LoweredNest Lower() {
    Block body;
    bounds_ = LowerBounds(body, op_, code_, points_);
    vector_ = LowerVectors(model_, op_, vectors_.body, vectors_.plan, vectors_.style, code_);
    body.Append(code_.uniform());
    body.Add(kernel::PackStmt{vector_.pack, vectors_.style.vectors, width_});
    body.Append(vector_.before);
    if (points_ == NestPoints::Box) {
      LowerLoop(body, 0);
      return CalledNest(
          {PointsFunction(), BoxFunction(model_, kernel_, code_, bounds_, std::move(body))});
    }
    const NestBounds whole = bounds_;
    LowerTiles(body, nest_, code_, bounds_, [&](Block& block) { LowerLoop(block, 0); });
    bounds_ = whole;
    return CalledNest({PointsFunction(), NestFunction(model_, kernel_, code_, std::move(body))});
  }

 private:
  bool WritesWhatItReads() const {
    for (const auto& [buffer, use] : code_.buffers()) {
      if (use.read && use.written) return true;
    }
    return false;
  }

  const VarRef& Iterator(std::size_t n) const { return code_.IteratorVar(n); }
  int PointsAlong(std::size_t n) const { return vectors_.points[n]; }

  /// The loops over boxes.
  void LowerLoop(Block& block, std::size_t n) {
    const std::size_t last = op_.iterators.size() - 1;
    if (n == last) return LowerRow(block);
    ForStmt loop = LoopOver(Iterator(n), bounds_, n, PointsAlong(n));
    if (n == 0 && points_ == NestPoints::All) {
      loop = InParallel(std::move(loop), nest_, bounds_, false);
    }
    LowerLoop(loop.body, n + 1);
    block.Add(std::move(loop));
  }

  /// True for a box that is not full, or where a row is shorter than a pack.
  Expr IsPartial() const {
    const std::size_t last = op_.iterators.size() - 1;
    Expr partial;
    const auto add = [&](const Expr& condition) {
      partial = partial.Valid() ? kernel::Apply(BinaryOp::Or, partial, condition) : condition;
    };
    for (std::size_t n = 0; n < last; ++n) {
      if (PointsAlong(n) == 1) continue;
      add(kernel::Apply(BinaryOp::Greater, Read(Iterator(n)) + Number(PointsAlong(n) - 1),
                        Read(bounds_.hi[n])));
    }
    add(kernel::Apply(BinaryOp::Less, Read(bounds_.hi[last]) - Read(bounds_.lo[last]) + Number(1),
                      Read(width_)));
    return partial;
  }

  /// One row of boxes.
  void LowerRow(Block& block) {
    const std::size_t last = op_.iterators.size() - 1;
    const VarRef& i = Iterator(last);
    const VarRef& lo = bounds_.lo[last];
    const VarRef& hi = bounds_.hi[last];
    kernel::IfStmt narrow{IsPartial(), {}, {}};
    CallPoints(narrow.then_block, lo);
    narrow.then_block.Add(
        kernel::JumpStmt{last > 0 ? kernel::Jump::Continue : kernel::Jump::Return});
    block.Add(std::move(narrow));
    block.Append(vector_.row);
    if (WritesWhatItReads()) {
      block.Add(LetStmt{i, Read(lo), true});
      ForStmt loop = LoopOver(i, bounds_, last);
      loop.first = {};
      loop.step = Read(width_);
      loop.last = Read(hi) - Read(width_) + Number(1);
      loop.body.Append(vector_.point);
      block.Add(std::move(loop));
      CallPoints(block, i);
      return;
    }
    // The first vectors of a row begin with it, the last end with it, and those between are
    // aligned: some points are computed twice.
    const VarRef next = kernel::MakeVar(code_.Claim("next"), kernel::kIndex);
    ForStmt loop = LoopOver(next, bounds_, last);
    loop.step = Read(width_);
    Expr at = Smaller(Read(next), Read(hi) - Read(width_) + Number(1));
    if (const auto start = FindRowStart(model_, op_, code_, Read(lo))) {
      const VarRef aligned =
          kernel::MakeVar(code_.Claim(code_.IteratorName(last) + "_aligned"), kernel::kIndex);
      block.Add(LetStmt{aligned, LastAligned(*start, Read(lo), Read(hi), Read(width_))});
      loop.first = Read(aligned);
      at = Greater(Read(lo), at);
    }
    if (last == 0 && points_ == NestPoints::All) {
      loop = InParallel(std::move(loop), nest_, bounds_, false);
    }
    loop.body.Add(LetStmt{i, at});
    loop.body.Append(vector_.point);
    block.Add(std::move(loop));
  }

  /// The points of the present box, and of those that follow it along the row, from `first` on.
  void CallPoints(Block& block, const VarRef& first) {
    kernel::CallStmt call{rest_, {}};
    for (const kernel::Argument& argument : PointsArguments()) {
      call.arguments.push_back(Read(argument.var));
    }
    const std::size_t last = op_.iterators.size() - 1;
    for (std::size_t n = 0; n < last; ++n) {
      const Expr at = Read(Iterator(n));
      const int more = PointsAlong(n) - 1;
      call.arguments.push_back(at);
      call.arguments.push_back(more == 0 ? at
                                         : kernel::Call(Function::Min, kernel::kIndex,
                                                        {at + Number(more), Read(bounds_.hi[n])}));
    }
    call.arguments.push_back(Read(first));
    call.arguments.push_back(Read(bounds_.hi[last]));
    block.Add(std::move(call));
  }

  /// The function that computes a box of any size, point by point.
  kernel::Function PointsFunction() {
    kernel::Function function;
    function.name = rest_;
    function.comments = {"The points of a box, one by one."};
    function.arguments = PointsArguments();
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      function.arguments.push_back({bounds_.lo[n], true});
      function.arguments.push_back({bounds_.hi[n], true});
    }
    function.body = PointsBody();
    return function;
  }

  Block PointsBody() {
    Block body;
    body.Append(code_.uniform());
    LowerPointLoop(body, 0);
    return body;
  }

  /// Those of the nest that the function for points has a use for.
  std::vector<kernel::Argument> PointsArguments() {
    const std::set<const kernel::Var*> named = kernel::NamedIn(PointsBody());
    std::vector<kernel::Argument> arguments;
    for (const kernel::Argument& argument : NestArguments(model_, code_)) {
      if (named.count(argument.var.get()) > 0) arguments.push_back(argument);
    }
    return arguments;
  }

  void LowerPointLoop(Block& block, std::size_t n) {
    if (n == op_.iterators.size()) return block.Append(code_.point());
    ForStmt loop = LoopOver(Iterator(n), bounds_, n);
    if (n + 1 == op_.iterators.size()) loop.kind = kernel::LoopKind::Vector;
    LowerPointLoop(loop.body, n + 1);
    block.Add(std::move(loop));
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  NestPoints points_;
  const VectorKernel& vectors_;
  const graph::Operator& op_;
  const plan::LoopNest nest_;
  OperatorCode code_;
  std::string rest_;
  VarRef width_;
  NestBounds bounds_;
  VectorCode vector_;
};

}  // namespace

LoweredNest LowerVectorNest(const ProgramModel& model, plan::KernelId kernel,
                            const VectorKernel& vectors, NestPoints points) {
  return VectorNest(model, kernel, vectors, points).Lower();
}

}  // namespace stencilgen::lower::cpp
