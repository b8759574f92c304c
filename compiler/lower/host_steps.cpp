#include "lower/host_steps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "lower/domain_bounds.h"
#include "lower/index_math.h"
#include "lower/operator_code.h"
#include "plan/looks.h"
#include "plan/matrix_tiles.h"
#include "plan/time_pipeline.h"
#include "plan/turn_graph.h"
#include "support/check.h"
#include "support/match.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using kernel::Expr;
using kernel::Steps;
using plan::BufferId;

class StepLowering {
 public:
  StepLowering(const ProgramModel& model, kernel::Target target, const StepKernels& kernels)
      : model_(model), target_(target), kernels_(kernels), scope_(&model.scope()) {}

  Steps Lower(const std::vector<plan::Step>& planned) {
    Steps steps;
    for (const plan::Step& step : planned) {
      Match(
          step,
          [&](const plan::Launch& launch) {
            const kernel::LaunchStep start{kernels_.numbers[launch.kernel.index]};
            const auto when = launch_when_.find(launch.kernel);
            if (when == launch_when_.end()) {
              steps.push_back({start});
            } else {
              AddScope({when->second, {{start}}, {}}, steps);
            }
          },
          [&](const plan::AssignScalar& assign) { AddScope(LowerAssign(assign), steps); },
          [&](const plan::CopyOutside& copy) { steps.push_back({LowerCopyOutside(copy)}); },
          [&](const plan::CopyAll& copy) {
            steps.push_back({kernel::CopyStep{copy.dst.index, copy.src.index}});
          },
          [&](const plan::Repeat& repeat) { LowerRepeat(repeat, steps); });
    }
    return steps;
  }

 private:
  Expr Form(const LinearForm& form) const { return model_.Form(form); }

  static void AddCode(kernel::Block code, Steps& steps) {
    if (!code.stmts.empty()) steps.push_back({kernel::CodeStep{std::move(code)}});
  }

  /// What one turn computes and another does not shares a scope with what goes by the same.
  static void AddScope(kernel::ScopeStep scope, Steps& steps) {
    auto* last = steps.empty() ? nullptr : std::get_if<kernel::ScopeStep>(&steps.back().what);
    const bool shares = last != nullptr && scope.condition.Valid() && last->condition.Valid() &&
                        &last->condition.node() == &scope.condition.node();
    if (shares) {
      std::move(scope.body.begin(), scope.body.end(), std::back_inserter(last->body));
    } else {
      steps.push_back({std::move(scope)});
    }
  }

  kernel::ScopeStep LowerAssign(const plan::AssignScalar& assign) {
    const graph::Operator& op = model_.OperatorOf(assign.op);
    kernel::ScopeStep scope;
    scope.condition = GuardOf(op.domain, [&](const LinearForm& linear) { return Form(linear); });
    if (const auto when = assign_when_.find(assign.op); when != assign_when_.end()) {
      scope.condition =
          scope.condition.Valid() ? kernel::And({when->second, scope.condition}) : when->second;
    }
    Steps reads;
    OperatorStyle style;
    style.exact_products = false;  // host compilers are told not to contract
    style.element = [&](BufferId buffer, const Expr& position) {
      if (target_ == kernel::Target::Host) {
        return kernel::ElementAt(model_.Var(buffer), position);
      }
      const kernel::VarRef var =
          kernel::MakeVar(fmt::format("element_{}", ++elements_), model_.Var(buffer)->type);
      reads.push_back({kernel::ReadStep{var, buffer.index, position}});
      return kernel::Read(var);
    };
    OperatorCode code(model_, op, style);
    const Expr value = code.ScalarValue();
    AddCode(code.uniform(), scope.body);
    for (kernel::Step& read : reads) scope.body.push_back(std::move(read));
    const int scalar = model_.plan().scalar_of[op.result.index];
    kernel::Block block;
    block.Add(kernel::AssignStmt{kernel::Read(model_.ScalarVar(scalar)), AssignOp::Assign, value});
    AddCode(std::move(block), scope.body);
    return scope;
  }

  kernel::CopyStep LowerCopyOutside(const plan::CopyOutside& copy) const {
    const graph::Operator& op = model_.OperatorOf(copy.op);
    const auto form = [&](const LinearForm& linear) { return Form(linear); };
    kernel::CopyStep step{copy.dst.index, copy.src.index};
    step.outside.emplace();
    for (const graph::Index& index : op.target) {
      const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      STENCILGEN_CHECK(at != op.iterators.end());
      const graph::Interval& interval =
          op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
      step.outside->push_back({LowerOf(interval, form), UpperOf(interval, form)});
    }
    step.condition = GuardOf(op.domain, form);
    return step;
  }

  Expr TurnsOf(const plan::Repeat& repeat) const {
    Expr turns = TurnsOf(repeat.turns);
    if (!repeat.loop.Valid()) return turns;
    const graph::VersionId unless = graph::LoopOf(model_.graph(), repeat.loop).unless;
    if (!unless.Valid()) return turns;
    const kernel::VarRef& ended = model_.ScalarVar(model_.plan().scalar_of[unless.index]);
    return kernel::Choose(kernel::Read(ended), kernel::Number(0), turns);
  }
  Expr TurnsOf(const graph::Turns& turns) const {
    Expr count = Form(turns.count);
    if (turns == graph::Turns{turns.count}) return count;
    if (kernel::NumberOf(count)) return kernel::Number(graph::Evaluate(turns, {}));
    return kernel::Apply(turns.remainder ? BinaryOp::Mod : BinaryOp::Div, count,
                         kernel::Number(turns.divisor));
  }

  graph::ParameterId TurnIn(const plan::Repeat& repeat) const {
    return repeat.loop.Valid() ? graph::LoopOf(model_.graph(), repeat.loop).turn
                               : graph::ParameterId{};
  }

  void LowerRepeat(const plan::Repeat& repeat, Steps& steps) {
    const bool only_moves_scalars = repeat.body.empty() && repeat.rotation.empty();
    if (only_moves_scalars && repeat.turns == graph::Turns{LinearForm::Constant(1)}) {
      return AddCode(LowerScalarMoves(repeat.scalar_moves), steps);
    }
    if (plan::RunsInKernel(model_.plan(), repeat)) {
      for (kernel::Step& step : Lower(repeat.body)) steps.push_back(std::move(step));
      return;
    }
    const auto stop = StopOf(repeat);
    if (stop && !LooksAlways(*stop)) AddCode(SetDone(*stop, false), steps);
    if (!repeat.band) {
      steps.push_back({LowerTurns(repeat)});
    } else if (repeat.band->hexagon) {
      LowerPhases(repeat, steps);
    } else if (stop) {
      steps.push_back({LowerBetweenLooks(repeat, *stop)});
    } else {
      const std::optional<std::size_t> single = kernels_.singles[next_band_];
      kernel::BandStep band = LowerBand(repeat, TurnsOf(repeat));
      if (band.turns_of_tile == 0) band.otherwise.push_back({LowerTurns(repeat)});
      if (single) {
        steps.push_back({LowerSingle(repeat, *single, std::move(band), steps)});
      } else {
        steps.push_back({std::move(band)});
      }
    }
  }

  /// One turn in place, several in tiles. What is `before` for the second array, which is its
  /// border for this loop, is for several alone.
  kernel::ScopeStep LowerSingle(const plan::Repeat& repeat, std::size_t single,
                                kernel::BandStep band, Steps& before) {
    kernel::ScopeStep scope;
    scope.condition = kernel::Apply(BinaryOp::Equal, band.turns, kernel::Number(1));
    if (const graph::ParameterId turn = TurnIn(repeat); turn.Valid()) {
      kernel::Block first;
      first.Add(
          kernel::AssignStmt{kernel::Read(model_.Var(turn)), AssignOp::Assign, kernel::Number(0)});
      AddCode(std::move(first), scope.body);
    }
    scope.body.push_back({kernel::LaunchStep{single}});
    const auto* border =
        before.empty() ? nullptr : std::get_if<kernel::CopyStep>(&before.back().what);
    if (border != nullptr && border->to == repeat.band->single->held.buffer.index) {
      scope.otherwise.push_back(std::move(before.back()));
      before.pop_back();
    }
    scope.otherwise.push_back({std::move(band)});
    return scope;
  }

  std::optional<graph::Stop> StopOf(const plan::Repeat& repeat) const {
    return repeat.loop.Valid() ? graph::LoopOf(model_.graph(), repeat.loop).stop : std::nullopt;
  }
  static bool LooksAlways(const graph::Stop& stop) { return stop.every == LinearForm::Constant(1); }
  const kernel::VarRef& DoneOf(const graph::Stop& stop) const {
    return model_.ScalarVar(model_.plan().scalar_of[stop.condition.index]);
  }
  kernel::Block SetDone(const graph::Stop& stop, bool value) const {
    const kernel::VarRef& done = DoneOf(stop);
    kernel::Block block;
    block.Add(kernel::AssignStmt{kernel::Read(done), AssignOp::Assign,
                                 kernel::Constant(done->type, std::int64_t{value})});
    return block;
  }

  kernel::BandStep LowerBand(const plan::Repeat& repeat, const Expr& turns) {
    kernel::BandStep band = kernels_.bands[next_band_++];
    band.turns = turns;
    band.tile = scope_.Claim("tile");
    LowerRotationsOf(repeat, turns, band.after);
    return band;
  }

  /// Buffers get the memory that they have after all turns of a band.
  void LowerRotationsOf(const plan::Repeat& repeat, const Expr& turns, Steps& steps) {
    if (repeat.band->period == 1) return;
    kernel::RepeatStep left;
    left.var = kernel::MakeVar(scope_.Claim("step"), kernel::kIndex);
    left.turns = kernel::Apply(BinaryOp::Mod, turns, kernel::Number(repeat.band->period));
    LowerRotation(repeat.rotation, left.body);
    steps.push_back({std::move(left)});
  }

  /// All turns in hexagons: a launch for each half of tiles, and one more.
  void LowerPhases(const plan::Repeat& repeat, Steps& steps) {
    const HexagonLaunch& hexagons = kernels_.hexagons[next_band_++];
    const Expr turns = TurnsOf(repeat);
    kernel::RepeatStep phases;
    phases.var = hexagons.phase;
    phases.turns = kernel::Call(kernel::Routine::CeilDiv, kernel::kIndex,
                                {turns, kernel::Number(repeat.band->hexagon->half)}) +
                   Least({turns, kernel::Number(1)});
    phases.body.push_back({kernel::LaunchStep{hexagons.kernel}});
    steps.push_back({std::move(phases)});
    LowerRotationsOf(repeat, turns, steps);
  }

  /// The turns up to the one that looks, in tiles; then that one.
  kernel::RepeatStep LowerBetweenLooks(const plan::Repeat& repeat, const graph::Stop& stop) {
    kernel::RepeatStep loop = LowerTurns(repeat);
    const kernel::VarRef plain = kernel::MakeVar(scope_.Claim("plain"), kernel::kIndex);
    kernel::Block count;
    count.Add(
        kernel::LetStmt{plain, Least({Form(stop.every) - kernel::Number(1),
                                      loop.turns - kernel::Number(1) - kernel::Read(loop.var)})});
    kernel::ScopeStep tiles;
    tiles.condition = kernel::Apply(BinaryOp::Greater, kernel::Read(plain), kernel::Number(0));
    kernel::BandStep band = LowerBand(repeat, kernel::Read(plain));
    if (band.turns_of_tile == 0) band.otherwise.push_back({LowerPlainTurns(repeat, plain)});
    tiles.body.push_back({std::move(band)});
    kernel::Block go_on;
    go_on.Add(kernel::AssignStmt{kernel::Read(loop.var), AssignOp::Add, kernel::Read(plain)});
    AddCode(std::move(go_on), tiles.body);
    Steps before;
    AddCode(std::move(count), before);
    before.push_back({std::move(tiles)});
    loop.body.insert(loop.body.begin(), std::make_move_iterator(before.begin()),
                     std::make_move_iterator(before.end()));
    return loop;
  }

  /// Turns that do not look.
  kernel::RepeatStep LowerPlainTurns(const plan::Repeat& repeat, const kernel::VarRef& turns) {
    const plan::Looks looks = plan::FindLooks(model_.plan(), repeat);
    std::vector<plan::Step> planned = repeat.body;
    std::erase_if(planned, [&](const plan::Step& step) {
      const auto* launch = std::get_if<plan::Launch>(&step);
      return launch == nullptr || looks.kernels.count(launch->kernel) > 0;
    });
    kernel::RepeatStep loop;
    loop.var = kernel::MakeVar(scope_.Claim("step"), kernel::kIndex);
    loop.turns = kernel::Read(turns);
    loop.body = Lower(planned);
    LowerRotation(repeat.rotation, loop.body);
    return loop;
  }

  /// When the body's steps run that only some turns need.
  void SetLooks(const plan::Repeat& repeat, const graph::Stop& stop,
                const kernel::RepeatStep& loop) {
    const Expr turn = kernel::Read(loop.var) + kernel::Number(1);
    const Expr look = kernel::Apply(
        BinaryOp::Equal, kernel::Apply(BinaryOp::Mod, turn, Form(stop.every)), kernel::Number(0));
    const plan::Looks looks = plan::FindLooks(model_.plan(), repeat);
    const Expr when =
        looks.results
            ? kernel::Apply(BinaryOp::Or, look, kernel::Apply(BinaryOp::Equal, turn, loop.turns))
            : look;
    for (const plan::KernelId kernel : looks.kernels) launch_when_[kernel] = when;
    for (const graph::NodeId scalar : looks.scalars) assign_when_[scalar] = when;
    assign_when_[model_.graph().versions[stop.condition].node] = look;
  }

  kernel::RepeatStep LowerTurns(const plan::Repeat& repeat) {
    kernel::RepeatStep loop;
    loop.turns = TurnsOf(repeat);
    const graph::ParameterId turn = repeat.graph ? graph::ParameterId{} : TurnIn(repeat);
    if (turn.Valid()) {
      loop.var = model_.Var(turn);
      if (repeat.turns.remainder) {  // goes on where time tiles end
        const Expr count = Form(repeat.turns.count);
        loop.first = count - loop.turns;
        loop.turns = count;
      }
    } else {
      loop.var = kernel::MakeVar(scope_.Claim("step"), kernel::kIndex);
    }
    if (const auto stop = StopOf(repeat)) {
      loop.until = kernel::Read(DoneOf(*stop));
      if (!LooksAlways(*stop)) SetLooks(repeat, *stop, loop);
    }
    if (repeat.graph) loop.graph = LowerGraph(repeat);
    if (plan::StagesOf(model_.plan(), repeat) > 1) CountStages(repeat, loop);
    for (kernel::Step& step : Lower(repeat.body)) loop.body.push_back(std::move(step));
    LowerRotation(repeat.rotation, loop.body);
    AddCode(LowerScalarMoves(repeat.scalar_moves), loop.body);
    return loop;
  }

  kernel::TurnGraph LowerGraph(const plan::Repeat& repeat) {
    const plan::TurnGraph& planned = *repeat.graph;
    kernel::TurnGraph graph;
    graph.period = planned.period;
    graph.turns = planned.turns;
    graph.least = planned.least;
    graph.turn = scope_.Claim("run_turn");
    graph.rule = scope_.Claim("graph");
    graph.number = next_graph_++;
    if (planned.most_bytes == 0) return graph;
    graph.most_bytes = planned.most_bytes;
    // Arrays of one shape together.
    std::vector<std::pair<std::vector<LinearForm>, std::int64_t>> shapes;
    for (const auto& [id, times] : plan::MovedInTurn(model_.plan(), repeat)) {
      const plan::Buffer& buffer = model_.plan().buffers[id];
      auto shape = std::find_if(shapes.begin(), shapes.end(),
                                [&](const auto& each) { return each.first == buffer.extents; });
      if (shape == shapes.end()) shape = shapes.insert(shape, {buffer.extents, 0});
      shape->second += times * SizeInBytes(buffer.type, buffer.format);
    }
    graph.bytes = kernel::Number(0);
    std::int64_t known = 0;
    for (const auto& [extents, bytes] : shapes) {
      Expr each = kernel::Number(bytes);
      for (const LinearForm& extent : extents) each = each * Form(extent);
      const std::optional<std::int64_t> number = kernel::NumberOf(each);
      if (number) {
        known += *number;
      } else {
        graph.bytes = graph.bytes + each;
      }
    }
    graph.bytes = graph.bytes + kernel::Number(known);
    return graph;
  }

  /// A launch of a pipeline has a turn for each stage, the last one those that are left.
  void CountStages(const plan::Repeat& repeat, kernel::RepeatStep& loop) const {
    const Expr stages = kernel::Number(plan::StagesOf(model_.plan(), repeat));
    const auto& launch = std::get<plan::Launch>(repeat.body.front());
    kernel::Block count;
    count.Add(kernel::AssignStmt{kernel::Read(model_.StagesVar(launch.kernel)), AssignOp::Assign,
                                 Least({stages, loop.turns - kernel::Read(loop.var) * stages})});
    AddCode(std::move(count), loop.body);
    if (loop.graph) loop.graph->alike = kernel::Apply(BinaryOp::Div, loop.turns, stages);
    loop.turns = kernel::Call(kernel::Routine::CeilDiv, kernel::kIndex, {loop.turns, stages});
  }

  /// Cycle by cycle, from the buffer named first.
  void LowerRotation(const std::vector<std::pair<BufferId, BufferId>>& rotation, Steps& steps) {
    std::map<BufferId, BufferId> source(rotation.begin(), rotation.end());
    for (const auto& [first, ignored] : rotation) {
      if (source.count(first) == 0) continue;
      std::vector<BufferId> cycle = {first};
      while (source.at(cycle.back()) != first) cycle.push_back(source.at(cycle.back()));
      kernel::RotateStep step;
      for (const BufferId buffer : cycle) {
        source.erase(buffer);
        step.cycle.push_back(buffer.index);
      }
      if (cycle.size() == 1) continue;
      if (cycle.size() > 2) step.old = scope_.Claim(fmt::format("old_{}", model_.Name(first)));
      steps.push_back({std::move(step)});
    }
  }

  /// All at once: a variable that is both read and written is kept until it has been read.
  kernel::Block LowerScalarMoves(const std::vector<std::pair<int, int>>& moves) {
    const auto assign = [&](int to, const kernel::VarRef& from) {
      return kernel::AssignStmt{kernel::Read(model_.ScalarVar(to)), AssignOp::Assign,
                                kernel::Read(from)};
    };
    kernel::Block block;
    if (moves.empty()) return block;
    if (moves.size() == 1) {
      block.Add(assign(moves[0].first, model_.ScalarVar(moves[0].second)));
      return block;
    }
    kernel::ScopeStmt scope;
    std::vector<kernel::VarRef> values;
    for (const auto& [to, from] : moves) {
      const kernel::VarRef& source = model_.ScalarVar(from);
      values.push_back(kernel::MakeVar(
          scope_.Claim(fmt::format("next_{}", model_.ScalarVar(to)->name)), source->type));
      scope.body.Add(kernel::LetStmt{values.back(), kernel::Read(source)});
    }
    for (std::size_t k = 0; k < moves.size(); ++k) {
      scope.body.Add(assign(moves[k].first, values[k]));
    }
    block.Add(std::move(scope));
    return block;
  }

  const ProgramModel& model_;
  kernel::Target target_;
  const StepKernels& kernels_;
  std::size_t next_band_ = 0, next_graph_ = 0;
  NameScope scope_;
  // When what not all turns compute is computed.
  std::map<plan::KernelId, Expr> launch_when_;
  std::map<graph::NodeId, Expr> assign_when_;
  int elements_ = 0;
};

}  // namespace

kernel::Steps LowerSteps(const ProgramModel& model, kernel::Target target,
                         const StepKernels& kernels) {
  return StepLowering(model, target, kernels).Lower(model.plan().steps);
}

}  // namespace stencilgen::lower
