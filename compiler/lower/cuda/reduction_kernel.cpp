#include "lower/cuda/reduction_kernel.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "graph/reduction.h"
#include "lower/cuda/device_style.h"
#include "lower/cuda/kernel_arguments.h"
#include "lower/domain_bounds.h"
#include "lower/reduction_code.h"
#include "lower/source_comments.h"
#include "plan/operator_facts.h"
#include "plan/traffic.h"

namespace stencilgen::lower::cuda {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::ForStmt;
using kernel::LetStmt;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

// Loads that do not wait for each other.
constexpr int kPointsAtOnce = 8;

class ReductionKernel {
 public:
  ReductionKernel(const ProgramModel& model, plan::KernelId kernel)
      : model_(model),
        kernel_(kernel),
        op_(*plan::FindReduction(model.graph(), model.plan().kernels[kernel].ops)),
        lanes_(op_.reduction->lanes),
        scope_(&model.scope()),
        lane_(NewVar("lane", kernel::kIndex)),
        totals_(NewTotals()),
        code_(model, model.OperatorsOf(kernel), Style()) {
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      lo_.push_back(NewIndex(n, "lo"));
      hi_.push_back(NewIndex(n, "hi"));
    }
  }

  kernel::LaunchedKernel Lower() {
    kernel::LaunchedKernel lowered{LowerFunction(), {}};
    lowered.launch = LowerLaunch(lowered.function);
    return lowered;
  }

 private:
  VarRef NewVar(std::string_view wish, kernel::Type type) {
    return kernel::MakeVar(scope_.Claim(wish), type);
  }
  VarRef NewIndex(std::size_t n, std::string_view what) {
    return NewVar(fmt::format("{}_{}", code_.IteratorName(n), what), kernel::kIndex);
  }
  /// A variable for each reduction, in their order.
  std::map<const graph::Operator*, VarRef> NewTotals() {
    std::map<const graph::Operator*, VarRef> totals;
    for (const graph::Operator* op : model_.OperatorsOf(kernel_)) {
      if (!op->reduction) continue;
      totals[op] = NewVar("total", kernel::TypeOf(model_.graph().exprs[op->value].type));
    }
    return totals;
  }
  OperatorStyle Style() const {
    OperatorStyle style = DeviceStyle(model_);
    style.scope = &scope_;
    style.lane = [this](const graph::Operator& op) { return Read(totals_.at(&op)); };
    return style;
  }

  bool IsWhole() const { return graph::IsWhole(*op_.reduction); }
  int Threads() const { return IsWhole() ? 1 : static_cast<int>(plan::kLanesOfBlock); }

  kernel::Function LowerFunction() {
    kernel::Function function;
    function.name = model_.Name(kernel_);
    function.target = kernel::Target::Device;
    for (const graph::Operator* op : model_.OperatorsOf(kernel_)) {
      function.comments.push_back(StencilComment(model_.options(), *op));
    }
    function.threads = Threads();
    function.registers = model_.options().registers;
    Expr element = Number(0);
    std::vector<Expr> first;
    for (const VarRef& lo : lo_) first.push_back(Read(lo));
    if (!IsWhole()) {
      function.body.Add(LetStmt{
          lane_,
          kernel::GridPlace(kernel::PlaceExpr::What::Block, 0, kernel::kIndex) * Number(Threads()) +
              kernel::GridPlace(kernel::PlaceExpr::What::Thread, 0, kernel::kIndex)});
      LowerPlaces(function.body, lane_, first);
      element = Read(lane_);
    }
    function.body.Append(code_.uniform());
    const auto each = [&](const auto& visit) {
      for (const graph::Operator* op : model_.OperatorsOf(kernel_)) {
        if (op->reduction) visit(*op, totals_.at(op));
      }
    };
    each([&](const graph::Operator& op, const VarRef& total) {
      function.body.Add(LetStmt{total, BeginningOf(model_.graph(), op), true});
    });
    LowerPoints(function.body, first);
    each([&](const graph::Operator& op, const VarRef& total) {
      const Expr result = kernel::ElementAt(model_.Var(model_.TargetOf(op.result)), element);
      function.body.Add(kernel::AssignStmt{result, AssignOp::Assign, Read(total)});
    });
    function.arguments =
        ArgumentsOf(model_, {code_.buffers(), code_.scalars(), code_.parameters()});
    for (std::size_t n = 0; n < lo_.size(); ++n) {
      function.arguments.push_back({lo_[n], true});
      function.arguments.push_back({hi_[n], true});
    }
    return function;
  }

  /// The place of the thread's lane along each iterator, and so its first point; lanes without one
  /// have nothing to do.
  void LowerPlaces(Block& block, const VarRef& lane, std::vector<Expr>& first) {
    std::int64_t stride = graph::LanesOf(*op_.reduction);
    for (std::size_t n = 0; n < lanes_.size(); ++n) {
      stride /= lanes_[n];
      if (lanes_[n] == 1) continue;
      Expr place = Read(lane);
      if (stride > 1) place = kernel::Apply(BinaryOp::Div, place, Number(stride));
      if (stride * lanes_[n] < graph::LanesOf(*op_.reduction)) {
        place = kernel::Apply(BinaryOp::Mod, place, Number(lanes_[n]));
      }
      const VarRef start = NewIndex(n, "first");
      block.Add(LetStmt{start, Read(lo_[n]) + place});
      kernel::IfStmt leave{kernel::Apply(BinaryOp::Greater, Read(start), Read(hi_[n])), {}, {}};
      leave.then_block.Add(kernel::JumpStmt{kernel::Jump::Return});
      block.Add(std::move(leave));
      first[n] = Read(start);
    }
  }

  void LowerPoints(Block& block, const std::vector<Expr>& first) {
    Block points;
    std::int64_t flops = 0;
    for (const graph::Operator* op : model_.OperatorsOf(kernel_)) {
      flops += graph::FlopsPerPoint(model_.graph(), *op);
    }
    if (flops > 0) points.Add(kernel::FlopsStmt{flops});
    points.Append(code_.point());
    for (std::size_t n = op_.iterators.size(); n-- > 0;) {
      ForStmt loop;
      loop.var = code_.IteratorVar(n);
      loop.first = first[n];
      loop.last = Read(hi_[n]);
      loop.step = Number(lanes_[n]);
      if (n + 1 == op_.iterators.size()) {
        loop.kind = kernel::LoopKind::Unrolled;
        loop.unroll = kPointsAtOnce;
      }
      loop.body = std::move(points);
      points = {};
      points.Add(std::move(loop));
    }
    block.Append(points);
  }

  kernel::Launch LowerLaunch(const kernel::Function& function) const {
    const auto form = [&](const graph::LinearForm& linear) { return model_.Form(linear); };
    kernel::Launch launch;
    launch.name = model_.Launcher(kernel_);
    launch.function = function.name;
    for (std::size_t n = 0; n < lo_.size(); ++n) {
      launch.ranges.push_back(RangeOf(model_, op_, n, code_.IteratorName(n), lo_[n], hi_[n]));
      launch.ranges.back().condition = GuardOf(op_.domain, form);
    }
    if (!IsWhole()) {
      launch.axes.push_back({launch.ranges.size(), Threads(), nullptr});
      launch.ranges.push_back({lane_->name, Number(0), Number(graph::LanesOf(*op_.reduction) - 1)});
      launch.threads = {Threads()};
    }
    for (const kernel::Argument& argument : function.arguments) {
      launch.arguments.push_back(argument.var);
    }
    return launch;
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const graph::Operator& op_;
  const std::vector<std::int64_t>& lanes_;
  NameScope scope_;
  VarRef lane_;
  std::map<const graph::Operator*, VarRef> totals_;  ///< by reduction
  OperatorCode code_;
  std::vector<VarRef> lo_, hi_;
};

}  // namespace

kernel::LaunchedKernel LowerReduction(const ProgramModel& model, plan::KernelId kernel) {
  return ReductionKernel(model, kernel).Lower();
}

}  // namespace stencilgen::lower::cuda
