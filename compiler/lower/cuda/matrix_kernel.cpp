#include "lower/cuda/matrix_kernel.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/cuda/device_style.h"
#include "lower/cuda/kernel_arguments.h"
#include "lower/cuda/matrix_boxes.h"
#include "lower/domain_bounds.h"
#include "lower/index_math.h"
#include "lower/operator_code.h"
#include "lower/source_comments.h"
#include "plan/matrix_tiles.h"

namespace stencilgen::lower::cuda {
namespace {

using graph::Access;
using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

/// Turns of the loop over a box at once.
constexpr int kTurnsAtOnce = 4;

class MatrixKernel {
 public:
  MatrixKernel(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(model.OperatorOf(kernel)),
        tile_(*model.plan().kernels[kernel].matrix),
        array_(model.graph().arrays[model.graph().versions[op_.result].array]),
        scope_(&model.scope()),
        type_(kernel::TypeOf(array_.type)) {
    MakeAxes();
    MakeTurns();
    sums_ = kernel::MakeVar(scope_.Claim(array_.name + "_here"), type_, kernel::Storage::Registers,
                            PointsOfThread());
    number_ = NewVar("number", kernel::kIndex);
    boxes_.emplace(model, kernel, scope_);
    code_.emplace(model, op_, Style());
  }

  kernel::LaunchedKernel Lower() {
    kernel::LaunchedKernel lowered{LowerFunction(), {}};
    lowered.launch = LowerLaunch(lowered.function);
    return lowered;
  }

 private:
  VarRef NewVar(const std::string& wish, kernel::Type type) {
    return kernel::MakeVar(scope_.Claim(wish), type);
  }

  void MakeAxes() {
    const std::size_t count = op_.iterators.size();
    for (std::size_t n = 0; n < count; ++n) {
      const std::string& name =
          model_.graph().iterators[static_cast<std::size_t>(op_.iterators[n])];
      MatrixAxis axis;
      axis.at = NewVar(name, kernel::kIndex);
      axis.lo = NewVar(name + "_lo", kernel::kIndex);
      axis.hi = NewVar(name + "_hi", kernel::kIndex);
      axis.tiles = NewVar(name + "_tiles", kernel::kIndex);
      axis.first = NewVar(name + "_first", kernel::kIndex);
      axis.place = NewVar(name + "_place", kernel::kInt);
      axis.part = NewVar(name + "_part", kernel::kInt);
      axis.letter = static_cast<int>(count - 1 - n);
      axis.threads = tile_.threads[n];
      axis.points = tile_.points[n];
      axes_.push_back(std::move(axis));
    }
  }

  /// The program's names of turns are those of its host variables: here they are the kernel's own.
  void MakeTurns() {
    for (const graph::NodeId node : tile_.loops) {
      const graph::ParameterId turn = graph::LoopOf(model_.graph(), node).turn;
      turns_.push_back(turn.Valid() ? model_.Var(turn) : NewVar("turn", kernel::kIndex));
      if (turn.Valid()) own_turns_.insert(turn);
    }
    if (turns_.empty()) return;
    turns_of_boxes_.turn = turns_.back();
    turns_of_boxes_.first = NewVar(turns_.back()->name + "_first", kernel::kIndex);
    turn_last_ = NewVar(turns_.back()->name + "_last", kernel::kIndex);
  }

  OperatorStyle Style() {
    OperatorStyle style = DeviceStyle(model_);
    style.scope = &scope_;
    for (const MatrixAxis& axis : axes_) style.iterators.push_back(axis.at);
    style.held = [this](const Access& access) { return Held(access); };
    style.result = SumHere();
    return style;
  }

  int PointsOfThread() const {
    int points = 1;
    for (const int each : tile_.points) points *= each;
    return points;
  }
  int Threads() const {
    int threads = 1;
    for (const int each : tile_.threads) threads *= each;
    return threads;
  }

  /// The value of the present point.
  Expr SumHere() const {
    Expr place = Number(0);
    for (const MatrixAxis& axis : axes_) {
      if (axis.points == 1) continue;
      place = place * Number(axis.points) + Read(axis.part);
    }
    return kernel::ElementAt(sums_, place);
  }

  std::optional<Expr> Held(const Access& access) const {
    if (!tile_.loops.empty() && access.version == op_.background) return SumHere();
    return boxes_->Find(access, axes_, turns_of_boxes_);
  }

  kernel::Function LowerFunction() {
    kernel::Function function;
    function.name = model_.Name(kernel_);
    function.target = kernel::Target::Device;
    function.comments = {
        StencilComment(model_.options(), op_),
        fmt::format("Each block has {}.", plan::ToString(model_.graph(), op_, tile_))};
    function.threads = Threads();
    function.registers = model_.options().registers;
    LowerPlace(function.body);
    boxes_->Declare(function.body);
    function.body.Add(kernel::DeclareStmt{{sums_}, false});
    LowerValues(function.body);
    LowerStores(function.body);
    AddArguments(function);
    return function;
  }

  /// Where the points of the block begin.
  void LowerPlace(Block& block) {
    block.Add(LetStmt{number_, kernel::GridPlace(kernel::PlaceExpr::What::Block, 0, kernel::kIndex),
                      true});
    for (std::size_t n = axes_.size(); n-- > 0;) {
      const MatrixAxis& axis = axes_[n];
      const Expr index =
          n == 0 ? Read(number_) : kernel::Apply(BinaryOp::Mod, Read(number_), Read(axis.tiles));
      block.Add(LetStmt{axis.first, Read(axis.lo) + index * Number(plan::PointsOfBlock(tile_, n))});
      if (n > 0) {
        block.Add(kernel::AssignStmt{Read(number_), AssignOp::Div, Read(axis.tiles)});
      }
    }
  }

  /// Loops over the thread's points. `inside`: the points' coordinates are those of points that
  /// the domain has, though not all are the thread's own.
  void LowerPoints(Block& block, bool inside, const std::function<void(Block&)>& lower) {
    Block points;
    LowerPointsFrom(0, points, inside, lower);
    if (axes_.front().points > 1) return block.Append(points);
    block.Add(kernel::ScopeStmt{std::move(points)});
  }
  void LowerPointsFrom(std::size_t n, Block& block, bool inside,
                       const std::function<void(Block&)>& lower) {
    if (n == axes_.size()) return lower(block);
    const MatrixAxis& axis = axes_[n];
    Block points;
    Expr place = axis.points > 1 ? Read(axis.part) * Number(axis.threads) : Number(0);
    if (axis.threads > 1) {
      place = kernel::GridPlace(kernel::PlaceExpr::What::Thread, axis.letter, kernel::kInt) + place;
    }
    const bool reads = code_->UsesIterator(n);
    if (!inside || reads || boxes_->WalkAlong(op_.iterators[n])) {
      points.Add(LetStmt{axis.place, place});
    }
    const Expr at = Read(axis.first) + Read(axis.place);
    if (!inside) points.Add(LetStmt{axis.at, at});
    if (inside && reads) points.Add(LetStmt{axis.at, LesserPosition(at, Read(axis.hi))});
    LowerPointsFrom(n + 1, points, inside, lower);
    if (axis.points == 1) return block.Append(points);
    ForStmt loop;
    loop.var = axis.part;
    loop.first = Number(0);
    loop.last = Number(axis.points);
    loop.below = true;
    loop.kind = kernel::LoopKind::Unrolled;
    loop.body = std::move(points);
    block.Add(std::move(loop));
  }

  Expr IsInside() const {
    std::vector<Expr> conditions;
    for (const MatrixAxis& axis : axes_) {
      conditions.push_back(kernel::Apply(BinaryOp::LessEqual, Read(axis.at), Read(axis.hi)));
    }
    return kernel::And(conditions);
  }

  /// The element that the present point writes.
  Expr Target() {
    Expr position = Number(0);
    for (std::size_t d = 0; d < op_.target.size(); ++d) {
      if (d > 0) position = position * code_->Form(array_.extents[d]);
      const auto at = std::find(op_.iterators.begin(), op_.iterators.end(), op_.target[d].iterator);
      position = position + Read(axes_[static_cast<std::size_t>(at - op_.iterators.begin())].at);
    }
    return kernel::ElementAt(model_.Var(model_.TargetOf(op_.result)), position);
  }

  void LowerValues(Block& block) {
    if (tile_.loops.empty()) {
      Load(block);
      if (!boxes_->empty()) block.Add(kernel::BarrierStmt{});
      return LowerTurn(block);
    }
    LowerPoints(block, false, [&](Block& point) {
      point.Add(kernel::AssignStmt{
          SumHere(), AssignOp::Assign,
          kernel::Choose(IsInside(), Target(), kernel::ConvertTo(type_, Number(0)))});
    });
    LowerTurns(block, 0);
  }

  Expr CountOf(std::size_t n) {
    return code_->Form(graph::LoopOf(model_.graph(), tile_.loops[n]).turns.count);
  }

  void LowerTurns(Block& block, std::size_t n) {
    const bool last = n + 1 == tile_.loops.size();
    ForStmt loop;
    loop.first = Number(0);
    loop.last = CountOf(n);
    loop.below = true;
    loop.var = last && !boxes_->empty() ? turns_of_boxes_.first : turns_[n];
    if (!last) {
      LowerTurns(loop.body, n + 1);
    } else if (boxes_->empty()) {
      LowerTurn(loop.body);
    } else {
      loop.step = Number(tile_.depth);
      LowerTurnsOfBoxes(loop.body, n);
    }
    block.Add(std::move(loop));
  }

  /// So many turns as the boxes are for.
  void LowerTurnsOfBoxes(Block& block, std::size_t n) {
    turns_of_boxes_.count = CountOf(n);
    block.Add(LetStmt{
        turn_last_,
        LesserPosition(Read(turns_of_boxes_.first) + Number(tile_.depth), CountOf(n)) - Number(1)});
    Load(block);
    block.Add(kernel::BarrierStmt{});
    ForStmt loop;
    loop.var = turns_[n];
    loop.first = Read(turns_of_boxes_.first);
    loop.last = Read(turn_last_);
    loop.kind = kernel::LoopKind::Unrolled;
    loop.unroll = kTurnsAtOnce;
    LowerTurn(loop.body);
    block.Add(std::move(loop));
    block.Add(kernel::BarrierStmt{});
  }

  /// All of the thread's points at one turn.
  void LowerTurn(Block& block) {
    const std::int64_t flops = graph::FlopsPerPoint(model_.graph(), op_);
    if (flops > 0) block.Add(kernel::FlopsStmt{flops * PointsOfThread()});
    block.Append(code_->uniform());
    LowerPoints(block, true, [&](Block& point) { point.Append(code_->point()); });
  }

  void Load(Block& block) {
    boxes_->Load(
        block, axes_, turns_of_boxes_,
        [&](const graph::LinearForm& form) { return code_->Form(form); }, buffers_);
  }

  void LowerStores(Block& block) {
    buffers_[model_.TargetOf(op_.result)].written = true;
    if (!tile_.loops.empty()) buffers_[model_.TargetOf(op_.result)].read = true;
    LowerPoints(block, false, [&](Block& point) {
      kernel::IfStmt inside{IsInside(), {}, {}};
      inside.then_block.Add(kernel::AssignStmt{Target(), AssignOp::Assign, SumHere()});
      point.Add(std::move(inside));
    });
  }

  void AddArguments(kernel::Function& function) {
    code_->AddBuffersTo(buffers_);
    std::set<graph::ParameterId> parameters;
    for (const graph::ParameterId id : code_->parameters()) {
      if (own_turns_.count(id) == 0) parameters.insert(id);
    }
    function.arguments = ArgumentsOf(model_, {buffers_, code_->scalars(), parameters});
    for (const MatrixAxis& axis : axes_) {
      function.arguments.push_back({axis.lo, true});
      function.arguments.push_back({axis.hi, true});
    }
    for (std::size_t n = 1; n < axes_.size(); ++n) {
      function.arguments.push_back({axes_[n].tiles, true});
    }
  }

  kernel::Launch LowerLaunch(const kernel::Function& function) const {
    const auto form = [&](const graph::LinearForm& linear) { return model_.Form(linear); };
    kernel::Launch launch;
    launch.name = model_.Launcher(kernel_);
    launch.function = function.name;
    launch.condition = GuardOf(op_.domain, form);
    launch.shared_bytes = plan::SharedBytes(model_.graph(), tile_);
    launch.threads.assign(axes_.size(), 1);
    for (std::size_t n = 0; n < axes_.size(); ++n) {
      const MatrixAxis& axis = axes_[n];
      launch.covered.push_back(n);
      launch.ranges.push_back(RangeOf(model_, op_, n, axis.at->name, axis.lo, axis.hi));
      launch.threads[axes_.size() - 1 - n] = axis.threads;
      launch.values.push_back({kernel::LaunchValue::Kind::Tiles, axis.tiles, n,
                               plan::PointsOfBlock(tile_, n), 0, nullptr});
      launch.tiles.push_back(axis.tiles);
    }
    for (const kernel::Argument& argument : function.arguments) {
      launch.arguments.push_back(argument.var);
    }
    return launch;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  const plan::MatrixTile& tile_;
  const graph::Array& array_;
  NameScope scope_;
  kernel::Type type_;
  std::vector<MatrixAxis> axes_;  ///< outermost first
  std::vector<VarRef> turns_;
  std::set<graph::ParameterId> own_turns_;
  VarRef turn_last_;  ///< of the turns that the boxes are for
  MatrixTurns turns_of_boxes_;
  VarRef sums_, number_;
  std::optional<MatrixBoxes> boxes_;
  std::optional<OperatorCode> code_;
  OperatorCode::Uses buffers_;
};

}  // namespace

kernel::LaunchedKernel LowerMatrixKernel(const ProgramModel& model, plan::KernelId kernel) {
  return MatrixKernel(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cuda
