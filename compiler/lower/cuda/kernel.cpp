#include "lower/cuda/kernel.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/places.h"
#include "kernel/parts.h"
#include "lower/cuda/device_style.h"
#include "lower/cuda/kernel_arguments.h"
#include "lower/cuda/matrix_kernel.h"
#include "lower/cuda/reduction_kernel.h"
#include "lower/cuda/short_index.h"
#include "lower/cuda/thread_body.h"
#include "lower/cuda/tile_kernel.h"
#include "lower/domain_bounds.h"
#include "lower/operator_code.h"
#include "lower/source_comments.h"
#include "plan/operator_facts.h"

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

namespace {

/// An iterator of the operator on the thread axis that runs over it.
struct Axis {
  VarRef at;
  VarRef lo, hi;
  /// The first of the thread's points and the counter of them, where there are several; the step
  /// to the next points of a strided axis.
  VarRef first, part, stride;
  /// Along a stream: the last of the thread's points, and how many a thread walks.
  VarRef last, chunk;
  int letter = 0;  ///< x is 0
  int block = 1;
  int unroll = 1;
  bool streamed = false;

  int PointsPerBlock() const { return block * unroll; }
  /// How far apart the thread's points are.
  int Distance() const { return letter == 0 ? block : 1; }
  /// What the loop over the thread's places changes.
  const VarRef& Moving() const { return unroll > 1 ? first : at; }
};

Expr IsBeyond(const VarRef& at, const VarRef& hi) {
  return kernel::Apply(BinaryOp::Greater, Read(at), Read(hi));
}

/// `if (condition) jump`
void AddJump(Block& block, const Expr& condition, kernel::Jump jump) {
  kernel::IfStmt leave{condition, {}, {}};
  leave.then_block.Add(kernel::JumpStmt{jump});
  block.Add(std::move(leave));
}

/// Bodies know places of one point alone.
passes::Reorder OrderOfPoints(const ProgramModel& model, plan::KernelId kernel) {
  return graph::ReadsAtPlaces(model.graph(), model.OperatorOf(kernel))
             ? passes::Reorder::None
             : OrderOf(model.options(), kernel).how;
}

class PointsKernel {
 public:
  PointsKernel(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        order_(OrderOfPoints(model, kernel)),
        stream_(model.plan().kernels[kernel].schedule.stream),
        short_coordinates_(HasShortCoordinates(model, kernel)),
        coordinate_(short_coordinates_ ? kernel::kInt : kernel::kIndex),
        either_index_(HasEitherIndex(model, kernel)),
        code_(model, op_, Style(model, kernel)) {
    const plan::Schedule& schedule = model_.plan().kernels[kernel].schedule;
    // The operator's last iterator runs along x whichever of the program's it is: it is the one
    // that neighbouring threads should differ in.
    const std::size_t count = op_.iterators.size();
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t place = count - 1 - n;
      Axis axis;
      axis.at = code_.IteratorVar(n);
      axis.lo = NewVar(axis, "lo", coordinate_);
      axis.hi = NewVar(axis, "hi", coordinate_);
      axis.letter = static_cast<int>(place);
      axis.block = schedule.block[place];
      axis.unroll = schedule.unroll[place];
      if (stream_ && op_.iterators[n] == stream_->iterator) {
        axis.streamed = true;
        axis.block = 1;
        axis.first = NewVar(axis, "first", kernel::kIndex);
        axis.last = NewVar(axis, "last", kernel::kIndex);
        axis.chunk = NewVar(axis, "chunk", kernel::kIndex);
        axes_.push_back(axis);
        continue;
      }
      if (axis.unroll > 1) {
        axis.first = NewVar(axis, "first", coordinate_);
        axis.part = NewVar(axis, "part", kernel::kInt);
      }
      if (place > 0) axis.stride = NewVar(axis, "stride", coordinate_);
      axes_.push_back(axis);
    }
  }

  kernel::LaunchedKernel Lower() {
    kernel::LaunchedKernel lowered{LowerFunction(), {}};
    lowered.launch = LowerLaunch(lowered.function);
    return lowered;
  }

 private:
  static OperatorStyle Style(const ProgramModel& model, plan::KernelId kernel) {
    OperatorStyle style = DeviceStyle(model);
    style.short_iterators = HasShortCoordinates(model, kernel);
    style.windows = &model.plan().kernels[kernel].windows;
    return style;
  }

  VarRef NewVar(const Axis& axis, std::string_view what, kernel::Type type) {
    return kernel::MakeVar(code_.Claim(fmt::format("{}_{}", axis.at->name, what)), type);
  }

  int Threads() const {
    int threads = 1;
    for (const Axis& axis : axes_) threads *= axis.block;
    return threads;
  }

  kernel::Function LowerFunction() {
    kernel::Function function;
    function.name = model_.Name(kernel_);
    function.target = kernel::Target::Device;
    function.comments = {StencilComment(model_.options(), op_)};
    function.threads = Threads();
    function.registers = model_.options().registers;
    function.either_index = either_index_;
    LowerPoints();
    function.body.Append(code_.uniform());
    for (const auto& lowered : {&point_body_, &group_body_}) {
      if (*lowered) function.body.Append((*lowered)->code.uniform);
    }
    LowerAxes(function.body);
    function.arguments = ArgumentsOf(model_, Uses());
    for (const Axis& axis : axes_) {
      function.arguments.push_back({axis.lo, true});
      function.arguments.push_back({axis.hi, true});
      if (axis.streamed) function.arguments.push_back({axis.chunk, true});
    }
    return function;
  }

  /// With reordering: the code of one point, and where a thread has several, of all of them at
  /// once.
  void LowerPoints() {
    if (!passes::Reorders(order_) || axes_.empty()) return;
    const std::vector<std::vector<std::int64_t>> one(axes_.size(), {0});
    const std::vector<std::vector<std::int64_t>> all = PointsOfThread(model_, kernel_);
    point_body_ = LowerThread(model_, kernel_, code_, one);
    if (all != one) group_body_ = LowerThread(model_, kernel_, code_, all);
  }

  /// The thread's points are computed together where all of them are inside.
  bool HasGroup() const {
    const bool unrolled =
        order_ == passes::Reorder::Unrolled && !stream_ &&
        std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.unroll > 1; });
    return group_body_ || unrolled;
  }

  KernelUses Uses() const { return {code_.buffers(), code_.scalars(), code_.parameters()}; }

  Expr Place(kernel::PlaceExpr::What what, const Axis& axis) const {
    return kernel::GridPlace(what, axis.letter, coordinate_);
  }

  /// Along x first, so that threads beyond the domain leave at once; then from the outermost in.
  void LowerAxes(Block& block) {
    if (axes_.empty()) return LowerPoint(block);
    const Axis& x = axes_.back();
    const Expr start = Read(x.lo) +
                       Place(kernel::PlaceExpr::What::Block, x) * Number(x.PointsPerBlock()) +
                       Place(kernel::PlaceExpr::What::Thread, x);
    block.Add(LetStmt{x.Moving(), start});
    AddJump(block, IsBeyond(x.Moving(), x.hi), kernel::Jump::Return);
    LowerStrided(block, 0);
  }

  void LowerStrided(Block& block, std::size_t n) {
    if (n + 1 == axes_.size()) return HasGroup() ? LowerGroup(block) : LowerAlongX(block);
    const Axis& axis = axes_[n];
    if (axis.streamed) return LowerStrided(block, n + 1);  // walked innermost
    Expr index = Place(kernel::PlaceExpr::What::Block, axis) * Number(axis.block);
    if (axis.block > 1) index = index + Place(kernel::PlaceExpr::What::Thread, axis);
    block.Add(LetStmt{
        axis.stride, Place(kernel::PlaceExpr::What::Blocks, axis) * Number(axis.PointsPerBlock())});
    ForStmt loop;
    loop.var = axis.Moving();
    loop.first = Read(axis.lo) + index * Number(axis.unroll);
    loop.last = Read(axis.hi);
    loop.step = Read(axis.stride);
    if (axis.unroll == 1 || HasGroup()) {
      LowerStrided(loop.body, n + 1);
    } else {
      ForStmt points = OverParts(axis);
      points.body.Add(LetStmt{axis.at, Read(axis.first) + Read(axis.part)});
      AddJump(points.body, IsBeyond(axis.at, axis.hi), kernel::Jump::Break);
      LowerStrided(points.body, n + 1);
      loop.body.Add(std::move(points));
    }
    block.Add(std::move(loop));
  }

  /// The loop over the thread's points along an axis, written out.
  static ForStmt OverParts(const Axis& axis) {
    ForStmt loop;
    loop.var = axis.part;
    loop.first = Number(0);
    loop.last = Number(axis.unroll);
    loop.below = true;
    loop.kind = kernel::LoopKind::Unrolled;
    return loop;
  }

  void LowerAlongX(Block& block) {
    const Axis& x = axes_.back();
    if (x.unroll == 1) return LowerColumn(block);
    ForStmt points = OverParts(x);
    points.body.Add(LetStmt{x.at, Read(x.first) + Read(x.part) * Number(x.block)});
    AddJump(points.body, IsBeyond(x.at, x.hi), kernel::Jump::Break);
    LowerColumn(points.body);
    block.Add(std::move(points));
  }

  /// All of the thread's points at once where it has all of them, else one after the other.
  void LowerGroup(Block& block) {
    std::vector<Expr> inside;
    for (const Axis& axis : axes_) {
      if (axis.unroll == 1) continue;
      inside.push_back(
          kernel::Apply(BinaryOp::LessEqual,
                        Read(axis.first) + Number(std::int64_t{axis.unroll - 1} * axis.Distance()),
                        Read(axis.hi)));
    }
    kernel::IfStmt all{kernel::And(inside), {}, {}};
    if (group_body_) {
      for (const Axis& axis : axes_) {
        if (axis.unroll > 1) all.then_block.Add(LetStmt{axis.at, Read(axis.first)});
      }
      LowerBody(all.then_block, *group_body_, 0);
    } else {
      LowerParts(all.then_block, 0, true);
    }
    all.then_block.Add(
        kernel::JumpStmt{axes_.size() == 1 ? kernel::Jump::Return : kernel::Jump::Continue});
    block.Add(std::move(all));
    LowerParts(block, 0, false);
  }

  /// The thread's points from the n-th axis in: all of them, or those inside.
  void LowerParts(Block& block, std::size_t n, bool all) {
    if (n == axes_.size()) return LowerPoint(block);
    const Axis& axis = axes_[n];
    if (axis.unroll == 1) return LowerParts(block, n + 1, all);
    ForStmt points = OverParts(axis);
    if (!all) points.unroll = 1;
    points.body.Add(LetStmt{axis.at, Read(axis.first) + Read(axis.part) * Number(axis.Distance())});
    if (!all) AddJump(points.body, IsBeyond(axis.at, axis.hi), kernel::Jump::Break);
    LowerParts(points.body, n + 1, all);
    block.Add(std::move(points));
  }

  static void Skip(Block& block, const Block& code, std::size_t skip) {
    block.stmts.insert(block.stmts.end(), code.stmts.begin() + static_cast<std::ptrdiff_t>(skip),
                       code.stmts.end());
  }

  void AddFlops(Block& block, std::size_t points) const {
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op_);
    if (flops > 0) block.Add(kernel::FlopsStmt{flops * static_cast<std::int64_t>(points)});
  }

  /// The code of those points, less the lines that stand before it already.
  void LowerBody(Block& block, const ThreadBody& lowered, std::size_t skip) {
    AddFlops(block, lowered.points);
    Skip(block, code_.centres(), skip);
    block.Add(kernel::CommentStmt{
        fmt::format("At most {} values live at once, {} in the order of the program.", lowered.live,
                    lowered.live_as_written)});
    block.Append(lowered.code.code);
  }

  /// The thread's points along the stream, or its one point.
  void LowerColumn(Block& block) {
    const auto axis =
        std::find_if(axes_.begin(), axes_.end(), [](const Axis& a) { return a.streamed; });
    if (axis == axes_.end()) return LowerPoint(block);
    block.Add(LetStmt{axis->first, Read(axis->lo) + Place(kernel::PlaceExpr::What::Block, *axis) *
                                                        Read(axis->chunk)});
    block.Add(LetStmt{
        axis->last,
        kernel::Choose(
            kernel::Apply(BinaryOp::Less, Read(axis->hi) - Read(axis->first), Read(axis->chunk)),
            Read(axis->hi), Read(axis->first) + Read(axis->chunk) - Number(1))});
    for (const auto& column : code_.held()) {
      if (column.registers.size() == 1) continue;
      block.Add(kernel::DeclareStmt{{column.registers.begin(), column.registers.end() - 1}});
    }
    ForStmt walk;
    walk.var = axis->at;
    walk.first = Read(axis->first);
    walk.last = Read(axis->last);
    if (axis->unroll > 1) {
      walk.kind = kernel::LoopKind::Unrolled;
      walk.unroll = axis->unroll;
    }
    LowerHeldPoint(walk.body, *axis);
    block.Add(std::move(walk));
  }

  /// One step of a walk: the newest plane is loaded, the point computed, and the planes age.
  void LowerHeldPoint(Block& block, const Axis& axis) {
    if (code_.held().empty()) return LowerPoint(block);
    const std::size_t centres = code_.centres().stmts.size();
    block.Append(code_.centres());
    const auto assign = [](Block& to, const VarRef& var, const Expr& value) {
      to.Add(kernel::AssignStmt{Read(var), AssignOp::Assign, value});
    };
    kernel::IfStmt fill{kernel::Apply(BinaryOp::Equal, Read(axis.at), Read(axis.first)), {}, {}};
    for (const auto& column : code_.held()) {
      for (std::size_t p = 0; p + 1 < column.registers.size(); ++p) {
        assign(fill.then_block, column.registers[p], column.elements[p]);
      }
    }
    block.Add(std::move(fill));
    for (const auto& column : code_.held()) {
      block.Add(LetStmt{column.registers.back(), column.elements.back()});
    }
    LowerPoint(block, centres);
    for (const auto& column : code_.held()) {
      for (std::size_t p = 0; p + 1 < column.registers.size(); ++p) {
        assign(block, column.registers[p], Read(column.registers[p + 1]));
      }
    }
  }

  /// The point's code, less the lines that stand before it already.
  void LowerPoint(Block& block, std::size_t skip = 0) {
    if (point_body_) return LowerBody(block, *point_body_, skip);
    AddFlops(block, 1);
    Skip(block, code_.point(), skip);
  }

  kernel::Launch LowerLaunch(const kernel::Function& function) const {
    const auto form = [&](const graph::LinearForm& linear) { return model_.Form(linear); };
    kernel::Launch launch;
    launch.name = model_.Launcher(kernel_);
    launch.function = function.name;
    launch.condition = GuardOf(op_.domain, form);
    launch.short_coordinates = short_coordinates_;
    if (either_index_) launch.shapes = ShapesOf(model_, kernel_, code_.buffers());
    launch.threads.assign(std::max<std::size_t>(axes_.size(), 1), 1);
    for (std::size_t n = 0; n < axes_.size(); ++n) {
      const Axis& axis = axes_[n];
      launch.covered.push_back(n);
      launch.ranges.push_back(RangeOf(model_, op_, n, axis.at->name, axis.lo, axis.hi));
      if (axis.streamed) {
        launch.values.push_back({kernel::LaunchValue::Kind::Chunk, axis.chunk, n, stream_->chunk});
        if (stream_->shortest > 0) {
          launch.values.back().kind = kernel::LaunchValue::Kind::FittedChunk;
          launch.values.back().costs = model_.plan().kernels[kernel_].chunks;
          launch.values.back().costs.shortest = stream_->shortest;
        }
      }
      // CUDA's order: x first.
      launch.axes.insert(launch.axes.begin(), {n, axis.PointsPerBlock(), axis.chunk});
      launch.threads[axes_.size() - 1 - n] = axis.block;
    }
    for (const kernel::Argument& argument : function.arguments) {
      launch.arguments.push_back(argument.var);
    }
    return launch;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  passes::Reorder order_;
  std::optional<plan::Stream> stream_;
  bool short_coordinates_;
  kernel::Type coordinate_;
  bool either_index_;
  OperatorCode code_;
  std::vector<Axis> axes_;                             ///< outermost first
  std::optional<ThreadBody> point_body_, group_body_;  ///< where the code is reordered
};

kernel::LaunchedKernel LowerMapping(const ProgramModel& model, plan::KernelId kernel) {
  if (model.plan().kernels[kernel].tile) return LowerTileKernel(model, kernel);
  if (model.plan().kernels[kernel].matrix) return LowerMatrixKernel(model, kernel);
  if (plan::FindReduction(model.graph(), model.plan().kernels[kernel].ops))
    return LowerReduction(model, kernel);
  return PointsKernel(model, kernel).Lower();
}

/// The kernel without arguments that nothing reads: the end of a range where no test compares with
/// it, the length of rows of which it has the first.
kernel::LaunchedKernel WithoutUnread(kernel::LaunchedKernel lowered) {
  const std::set<const kernel::Var*> named = kernel::NamedIn(lowered.function.body);
  const auto is_unread = [&](const kernel::VarRef& var) { return named.count(var.get()) == 0; };
  std::erase_if(lowered.function.arguments,
                [&](const kernel::Argument& argument) { return is_unread(argument.var); });
  std::erase_if(lowered.launch.arguments, is_unread);
  return lowered;
}

}  // namespace

kernel::LaunchedKernel LowerKernel(const ProgramModel& model, plan::KernelId kernel) {
  return WithoutUnread(LowerMapping(model, kernel));
}

}  // namespace stencilgen::lower::cuda
