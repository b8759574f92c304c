#include "support/plan_executor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/walk.h"
#include "plan/verify.h"
#include "support/match.h"

namespace stencilgen::testing {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Values;
using graph::VersionId;

Values Poison(ScalarType type, std::size_t count) {
  Values values = graph::MakeValues(type, count);
  std::visit(
      [](auto& elements) {
        using T = typename std::decay_t<decltype(elements)>::value_type;
        T poison = T{1};
        if constexpr (std::is_floating_point_v<T>) poison = std::numeric_limits<T>::quiet_NaN();
        if constexpr (std::is_same_v<T, std::int32_t>) poison = -123456789;
        std::fill(elements.begin(), elements.end(), poison);
      },
      values);
  return values;
}

/// One operator as a program of its own: what it reads are inputs named by version, what it writes
/// is an input and the output `target`.
class OperatorProgram {
 public:
  OperatorProgram(const Graph& source, const Operator& op) : source_(source) {
    graph_.name = "step";
    graph_.iterators = source.iterators;
    graph_.parameters = source.parameters;
    graph_.unroll_wishes = source.unroll_wishes;
    graph_.root = graph_.regions.Add({});
    const graph::Version version = source.versions[op.result];
    const VersionId before = AddInput(version.array, "target");
    graph_.arrays[graph_.versions[before].array].copy_out = true;
    Operator copy = op;
    copy.background = before;
    for (graph::Let& let : copy.lets) let.value = CopyExpr(let.value);
    copy.value = CopyExpr(op.value);
    copy.result = graph_.versions.Add(
        {graph_.versions[before].array, graph::DefKind::Operator, graph::NodeId{0}});
    graph_.outputs = {{graph_.versions[before].array, copy.result}};
    graph_.regions[graph_.root].nodes.push_back(graph_.nodes.Add(std::move(copy)));
  }

  const Graph& graph() const { return graph_; }
  const std::map<VersionId, VersionId>& inputs() const { return inputs_; }
  static std::string NameOf(VersionId version) { return fmt::format("v{}", version.index); }

 private:
  VersionId AddInput(graph::ArrayId source, const std::string& name) {
    graph::Array array = source_.arrays[source];
    array.name = name;
    array.local = array.copy_out = array.constant = false;
    array.copy_in = true;
    return graph_.versions.Add({graph_.arrays.Add(array), graph::DefKind::Initial, {}});
  }
  VersionId Input(VersionId version) {
    const auto place = inputs_.find(version);
    if (place != inputs_.end()) return place->second;
    const VersionId copy = AddInput(source_.versions[version].array, NameOf(version));
    inputs_.emplace(version, copy);
    return copy;
  }
  graph::ExprId CopyExpr(graph::ExprId id) {
    graph::Expr expr = source_.exprs[id];
    if (auto* access = std::get_if<graph::Access>(&expr.node)) {
      access->version = Input(access->version);
    }
    graph::ReplaceOperands(expr, [&](graph::ExprId operand) { return CopyExpr(operand); });
    return graph_.exprs.Add(std::move(expr));
  }

  const Graph& source_;
  Graph graph_;
  std::map<VersionId, VersionId> inputs_;  ///< by version of the source
};

class Executor {
 public:
  Executor(const plan::Plan& plan, const graph::ParameterValues& parameters)
      : plan_(plan),
        graph_(plan.graph),
        parameters_(parameters),
        programs_(plan.graph.nodes.size()) {}

  PlanResult Run(const std::map<std::string, Values>& inputs) {
    PlanResult result;
    if (Start(inputs) && RunSteps(plan_.steps)) {
      for (plan::BufferId buffer : plan_.results) result.outputs.push_back(Memory(buffer));
    }
    result.error = error_;
    return result;
  }

 private:
  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }
  Values& Memory(plan::BufferId buffer) { return memory_[memory_of_[buffer.index]]; }

  std::size_t SizeOf(const std::vector<graph::LinearForm>& extents) const {
    std::size_t count = 1;
    for (const graph::LinearForm& extent : extents) {
      count *= static_cast<std::size_t>(std::max<std::int64_t>(Evaluate(extent, parameters_), 0));
    }
    return count;
  }

  bool Start(const std::map<std::string, Values>& inputs) {
    for (const plan::Buffer& buffer : plan_.buffers) {
      memory_of_.push_back(memory_.size());
      memory_.push_back(Poison(buffer.type, SizeOf(buffer.extents)));
      if (!buffer.home.Valid() || !plan_.needs_contents[buffer.home.index]) continue;
      const auto input = inputs.find(graph_.arrays[buffer.home].name);
      if (input == inputs.end()) return Fail(fmt::format("no input for {}", buffer.name));
      memory_.back() = input->second;
    }
    for (const auto& [name, type] : plan_.scalars) {
      const auto input = inputs.find(name);
      scalars_.push_back(input == inputs.end() ? Poison(type, 1) : input->second);
    }
    return true;
  }

  bool RunSteps(const std::vector<plan::Step>& steps) {
    return std::all_of(steps.begin(), steps.end(), [&](const plan::Step& step) {
      return Match(
          step,
          [&](const plan::Launch& launch) {
            const plan::Kernel& kernel = plan_.kernels[launch.kernel];
            if (kernel.tile) return RunTile(kernel);
            return std::all_of(kernel.ops.begin(), kernel.ops.end(),
                               [&](graph::NodeId node) { return RunOperator(node); });
          },
          [&](const plan::AssignScalar& assign) { return RunOperator(assign.op); },
          [&](const plan::CopyOutside& copy) { return RunCopyOutside(copy); },
          [&](const plan::CopyAll& copy) {
            Memory(copy.dst) = Memory(copy.src);
            return true;
          },
          [&](const plan::Repeat& repeat) { return RunRepeat(repeat); });
    });
  }

  Values& Variable(VersionId version) {
    const int scalar = plan_.scalar_of[version.index];
    if (scalar >= 0) return scalars_[static_cast<std::size_t>(scalar)];
    const plan::BufferId buffer = plan_.buffer_of[version.index];
    const bool in_memory = buffer.Valid() && held_.count(version) == 0;
    return in_memory ? Memory(buffer) : InRegisters(version);
  }

  /// What only its own kernel reads.
  Values& InRegisters(VersionId version) {
    const auto [at, is_new] = registers_.try_emplace(version);
    if (is_new) {
      const graph::Array& array = graph_.arrays[graph_.versions[version].array];
      at->second = Poison(array.type, SizeOf(array.extents));
    }
    return at->second;
  }

  bool RunOperator(graph::NodeId node) {
    const auto& op = std::get<Operator>(graph_.nodes[node]);
    return RunOperator(node, Variable(op.result), Variable(op.result));
  }

  /// Puts into `to` what the operator makes where it computes, and elsewhere `around`.
  bool RunOperator(graph::NodeId node, const Values& around, Values& to) {
    const auto& op = std::get<Operator>(graph_.nodes[node]);
    std::unique_ptr<OperatorProgram>& program = programs_[node.index];
    if (program == nullptr) program = std::make_unique<OperatorProgram>(graph_, op);
    std::map<std::string, Values> inputs;
    inputs.emplace("target", around);
    for (const auto& [version, copy] : program->inputs()) {
      inputs.emplace(OperatorProgram::NameOf(version), Variable(version));
    }
    graph::InterpretResult result = graph::Interpret(program->graph(), parameters_, inputs);
    if (!result.error.empty()) return Fail(result.error);
    to = std::move(result.outputs[0]);
    return true;
  }

  /// A tile holds what its operators make, with their backgrounds around it, and stores after all
  /// of them.
  bool RunTile(const plan::Kernel& kernel) {
    std::map<VersionId, Values> stored;
    for (graph::NodeId node : kernel.ops) {
      const auto& op = std::get<Operator>(graph_.nodes[node]);
      const plan::BufferId buffer = plan_.buffer_of[op.result.index];
      if (buffer.Valid() && !RunOperator(node, Memory(buffer), stored[op.result])) return false;
      Values around = InRegisters(op.result);
      if (op.background.Valid()) around = Variable(op.background);
      held_.insert(op.result);
      if (!RunOperator(node, around, InRegisters(op.result))) return false;
    }
    for (const plan::TileStore& store : kernel.tile->stores) {
      Values& memory = Memory(plan_.buffer_of[store.version.index]);
      memory = store.whole ? InRegisters(store.version) : stored.at(store.version);
    }
    held_.clear();
    registers_.clear();
    return true;
  }

  /// By dimension, what the operator writes. Requires: plain targets.
  std::vector<graph::Range> Written(const Operator& op) const {
    std::vector<graph::Range> box;
    const bool none =
        std::any_of(op.domain.guards.begin(), op.domain.guards.end(),
                    [&](const auto& guard) { return Evaluate(guard, parameters_) < 0; });
    for (const graph::Index& index : op.target) {
      const auto place = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      const auto at = static_cast<std::size_t>(place - op.iterators.begin());
      box.push_back(none ? graph::Range{} : Evaluate(op.domain.intervals[at], parameters_));
    }
    return box;
  }

  bool RunCopyOutside(const plan::CopyOutside& copy) {
    const std::vector<graph::Range> box = Written(std::get<Operator>(graph_.nodes[copy.op]));
    const std::vector<graph::LinearForm>& extents = plan_.buffers[copy.dst].extents;
    std::visit(
        [&](auto& target) {
          const auto& source = std::get<std::decay_t<decltype(target)>>(Memory(copy.src));
          for (std::size_t i = 0; i < target.size(); ++i) {
            auto rest = static_cast<std::int64_t>(i);
            bool inside = true;
            for (std::size_t d = extents.size(); d-- > 0;) {
              const std::int64_t extent = Evaluate(extents[d], parameters_);
              inside = inside && box[d].lo <= rest % extent && rest % extent <= box[d].hi;
              rest /= extent;
            }
            if (!inside) target[i] = source[i];
          }
        },
        Memory(copy.dst));
    return true;
  }

  void Rotate(const plan::Repeat& repeat) {
    const std::vector<std::size_t> memory = memory_of_;
    for (const auto& [to, from] : repeat.rotation) memory_of_[to.index] = memory[from.index];
  }

  bool RunRepeat(const plan::Repeat& repeat) {
    const graph::VersionId unless =
        repeat.loop.Valid() ? graph::LoopOf(graph_, repeat.loop).unless : graph::VersionId{};
    const bool none = unless.Valid() && Holds(unless);
    const std::int64_t turns = none ? 0 : Evaluate(repeat.turns, parameters_);
    const auto stop = repeat.loop.Valid() ? graph::LoopOf(graph_, repeat.loop).stop : std::nullopt;
    const graph::ParameterId number =
        repeat.loop.Valid() ? graph::LoopOf(graph_, repeat.loop).turn : graph::ParameterId{};
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      if (number.Valid()) {
        parameters_[number.index] = FirstTurn(repeat.turns, parameters_) + turn;
      }
      if (!RunSteps(repeat.body)) return false;
      Rotate(repeat);
      const std::vector<Values> scalars = scalars_;
      for (const auto& [to, from] : repeat.scalar_moves) {
        scalars_[static_cast<std::size_t>(to)] = scalars[static_cast<std::size_t>(from)];
      }
      if (stop && Stops(*stop, turn)) break;
    }
    return true;
  }

  /// Whether the loop ends after the turn, counted from 0.
  bool Stops(const graph::Stop& stop, std::int64_t turn) const {
    return (turn + 1) % Evaluate(stop.every, parameters_) == 0 && Holds(stop.condition);
  }
  bool Holds(graph::VersionId condition) const {
    const int scalar = plan_.scalar_of[condition.index];
    return graph::ElementAsDouble(scalars_[static_cast<std::size_t>(scalar)], 0) != 0;
  }

  const plan::Plan& plan_;
  const Graph& graph_;
  graph::ParameterValues parameters_;                       ///< and the turns of the loops that run
  std::vector<std::unique_ptr<OperatorProgram>> programs_;  ///< by node
  std::vector<std::size_t> memory_of_;                      ///< by buffer
  std::vector<Values> memory_;
  std::vector<Values> scalars_;
  std::map<VersionId, Values> registers_;
  std::set<VersionId> held_;  ///< what the tile that runs has made
  std::string error_;
};

std::string CompareOutput(const std::string& name, const Values& got, const Values& want,
                          const std::vector<std::uint8_t>& defined) {
  if (got.index() != want.index() || graph::SizeOf(got) != graph::SizeOf(want)) {
    return fmt::format("{} has another type or size", name);
  }
  for (std::size_t i = 0; i < graph::SizeOf(want); ++i) {
    const double a = graph::ElementAsDouble(got, i);
    const double b = graph::ElementAsDouble(want, i);
    if (defined[i] != 0 && std::memcmp(&a, &b, sizeof a) != 0) {
      return fmt::format("{}[{}] is {}, not {}", name, i, a, b);
    }
  }
  return {};
}

}  // namespace

PlanResult ExecutePlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                       const std::map<std::string, Values>& inputs) {
  return Executor(plan, parameters).Run(inputs);
}

std::string CheckPlan(const plan::Plan& plan, const graph::ParameterValues& parameters,
                      const std::map<std::string, Values>& inputs) {
  const std::vector<std::string> problems = plan::Verify(plan);
  if (!problems.empty()) return problems.front();
  const graph::InterpretResult want = graph::Interpret(plan.graph, parameters, inputs);
  if (!want.error.empty()) return want.error;
  const PlanResult got = ExecutePlan(plan, parameters, inputs);
  if (!got.error.empty()) return got.error;
  for (std::size_t i = 0; i < want.outputs.size(); ++i) {
    const std::string& name = plan.graph.arrays[plan.graph.outputs[i].array].name;
    std::string difference = CompareOutput(name, got.outputs[i], want.outputs[i], want.defined[i]);
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace stencilgen::testing
