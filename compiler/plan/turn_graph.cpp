#include "plan/turn_graph.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "graph/nodes.h"
#include "graph/turns.h"
#include "graph/walk.h"
#include "plan/matrix_tiles.h"
#include "plan/time_pipeline.h"
#include "support/check.h"
#include "support/count_text.h"
#include "support/match.h"

namespace stencilgen::plan {
namespace {

/// Launches of a graph, where the turns are short enough: so that what it takes to launch a graph
/// is little of what its launches would take.
constexpr std::int64_t kLaunches = 64;
/// A turn with more launches is no part of a graph: a loop in it may be one.
constexpr std::int64_t kMostLaunches = 256;
/// Graphs of as many turns pay for the making of one: a node of it costs about as much as ten
/// launches save by it (not measured here).
constexpr std::int64_t kGraphsToPay = 16;
/// A kernel that takes longer hides the launch of the next one, four times what that takes
/// (measured by others on an H200, not here).
constexpr double kHidingSeconds = 8e-6;

/// By buffer, that whose memory it has after some steps.
using Memory = std::vector<BufferId>;

Memory Unmoved(const Plan& plan) {
  Memory memory;
  for (const BufferId id : plan.buffers.Ids()) memory.push_back(id);
  return memory;
}
/// After `first` and then `second`.
Memory Then(const Memory& first, const Memory& second) {
  Memory both;
  for (const BufferId id : second) both.push_back(first[id.index]);
  return both;
}

std::optional<std::int64_t> KnownTurns(const Plan& plan, const Repeat& repeat) {
  if (!repeat.turns.count.IsConstant()) return std::nullopt;
  const std::int64_t turns = graph::Evaluate(repeat.turns, {});
  const std::int64_t stages = StagesOf(plan, repeat);
  return (turns + stages - 1) / stages;
}

bool HasStop(const Plan& plan, const Repeat& repeat) {
  return repeat.loop.Valid() && graph::LoopOf(plan.graph, repeat.loop).stop.has_value();
}

/// What one turn of a loop does, and why it may not be the same in the next one.
class TurnReader {
 public:
  TurnReader(const Plan& plan, const Repeat& repeat) : plan_(plan), repeat_(repeat) {
    if (repeat.loop.Valid()) turn_ = graph::LoopOf(plan.graph, repeat.loop).turn;
  }

  /// Empty where turns are the same but for who has which memory.
  std::string Read() {
    if (HasStop(plan_, repeat_)) return "a condition may end it after any turn";
    if (repeat_.band) return "its turns run in tiles";
    memory_ = ReadTurn(repeat_);
    return problem_;
  }

  std::int64_t launches() const { return launches_; }
  const std::map<BufferId, std::int64_t>& moved() const { return moved_; }

  /// Turns after which every buffer has its own memory again.
  int Period() const {
    const Memory home = Unmoved(plan_);
    int period = 1;
    for (Memory now = memory_; now != home; now = Then(now, memory_)) ++period;
    return period;
  }

 private:
  void Problem(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  /// What the body does, and then the rotation.
  Memory ReadTurn(const Repeat& repeat) {
    if (!repeat.scalar_moves.empty()) Problem("scalars of the host change from turn to turn");
    Memory memory = ReadSteps(repeat.body);
    Memory rotated = Unmoved(plan_);
    for (const auto& [to, from] : repeat.rotation) rotated[to.index] = from;
    return Then(memory, rotated);
  }

  Memory ReadSteps(const std::vector<Step>& steps) {
    Memory memory = Unmoved(plan_);
    for (const Step& step : steps) {
      Match(
          step, [&](const Launch& launch) { ReadLaunch(launch); },
          [&](const AssignScalar& assign) {
            const graph::Operator& op = graph::OperatorOf(plan_.graph, assign.op);
            Problem(fmt::format("the host computes {} in each turn",
                                plan_.graph.arrays[plan_.graph.versions[op.result].array].name));
          },
          [&](const CopyOutside& copy) {
            CheckTurn(copy.op);
            Move({copy.src, copy.dst});
          },
          [&](const CopyAll& copy) {
            Move({copy.src, copy.dst});
          },
          [&](const Repeat& inner) { memory = Then(memory, ReadInner(inner)); });
    }
    return memory;
  }

  Memory ReadInner(const Repeat& inner) {
    Memory memory = Unmoved(plan_);
    if (HasStop(plan_, inner)) Problem("a condition may end a loop in it");
    if (inner.band) Problem("turns of a loop in it run in tiles");
    if (RunsInKernel(plan_, inner)) {
      ReadSteps(inner.body);
      return memory;
    }
    const std::optional<std::int64_t> turns = KnownTurns(plan_, inner);
    if (!turns) Problem("how often a loop in it turns is known at run time only");
    const std::int64_t outside = times_;
    times_ = std::min(times_ * turns.value_or(1), kMostLaunches + 1);
    const Memory once = ReadTurn(inner);
    times_ = outside;
    // Only what a graph may have is followed turn by turn.
    for (std::int64_t n = 0; n < std::min(turns.value_or(1), kMostLaunches); ++n) {
      memory = Then(memory, once);
    }
    return memory;
  }

  void CheckTurn(graph::NodeId node) {
    if (!turn_.Valid()) return;
    const std::set<graph::ParameterId> used =
        graph::TurnsUsed(plan_.graph, graph::OperatorOf(plan_.graph, node));
    if (used.count(turn_) > 0) {
      Problem(fmt::format("its kernels are given {}, the number of the turn",
                          plan_.graph.parameters[turn_].name));
    }
  }

  void ReadLaunch(const Launch& launch) {
    const Kernel& kernel = plan_.kernels[launch.kernel];
    std::set<graph::VersionId> made;
    std::set<BufferId> read;
    const auto add = [&](graph::VersionId version) {
      const bool loaded = version.Valid() && made.count(version) == 0;
      if (loaded && plan_.buffer_of[version.index].Valid()) {
        read.insert(plan_.buffer_of[version.index]);
      }
    };
    for (const graph::NodeId node : kernel.ops) {
      CheckTurn(node);
      const graph::Operator& op = graph::OperatorOf(plan_.graph, node);
      for (const graph::ExprId access : graph::Accesses(plan_.graph, op)) {
        add(std::get<graph::Access>(plan_.graph.exprs[access].node).version);
      }
      made.insert(op.result);
    }
    std::vector<BufferId> buffers(read.begin(), read.end());
    for (const graph::VersionId version : StoredVersions(plan_, kernel)) {
      if (plan_.buffer_of[version.index].Valid()) {
        buffers.push_back(plan_.buffer_of[version.index]);
      }
    }
    Move(buffers);
  }

  /// A launch that moves these.
  void Move(const std::vector<BufferId>& buffers) {
    launches_ = std::min(launches_ + times_, kMostLaunches + 1);
    for (const BufferId buffer : buffers) moved_[buffer] += times_;
  }

  const Plan& plan_;
  const Repeat& repeat_;
  graph::ParameterId turn_;
  std::int64_t times_ = 1;
  std::int64_t launches_ = 0;
  std::map<BufferId, std::int64_t> moved_;
  Memory memory_;
  std::string problem_;
};

void AddTo(Plan& plan, std::vector<Step>& steps, const GraphRules& rules) {
  for (Step& step : steps) {
    auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr || RunsInKernel(plan, *repeat)) continue;
    const auto found = FindTurnGraph(plan, *repeat, rules);
    if (const auto* graph = std::get_if<TurnGraph>(&found)) {
      repeat->graph = *graph;
    } else {
      AddTo(plan, repeat->body, rules);
    }
  }
}

/// `in_graph`: a loop around these steps has a graph.
void CheckGraphs(const Plan& plan, const std::vector<Step>& steps, bool in_graph,
                 std::vector<std::string>& problems) {
  const auto problem = [&](std::string_view text) {
    problems.push_back(fmt::format("a loop in graphs: {}", text));
  };
  for (const Step& step : steps) {
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    CheckGraphs(plan, repeat->body, in_graph || repeat->graph, problems);
    if (!repeat->graph) continue;
    if (in_graph) problem("it is in another one");
    const TurnGraph& graph = *repeat->graph;
    TurnReader reader(plan, *repeat);
    if (const std::string reason = reader.Read(); !reason.empty()) {
      problem(reason);
      continue;
    }
    if (graph.period < 1 || graph.turns < 1 || graph.least <= graph.period) {
      problem("graphs of no turns");
    } else if (graph.turns % graph.period != 0) {
      problem("graphs of a part of a period");
    } else if (graph.period % reader.Period() != 0) {
      problem("buffers have other memory when a graph is launched again");
    }
  }
}

bool SizesAreKnown(const Plan& plan, const std::map<BufferId, std::int64_t>& moved) {
  return std::all_of(moved.begin(), moved.end(), [&](const auto& each) {
    const auto& extents = plan.buffers[each.first].extents;
    return std::all_of(extents.begin(), extents.end(),
                       [](const graph::LinearForm& form) { return form.IsConstant(); });
  });
}

}  // namespace

GraphRules GraphRulesFor(GraphUse use, const machine::Gpu& device) {
  return {use, device.memory_achieved * kHidingSeconds};
}

std::map<BufferId, std::int64_t> MovedInTurn(const Plan& plan, const Repeat& repeat) {
  TurnReader reader(plan, repeat);
  STENCILGEN_CHECK(reader.Read().empty());
  return reader.moved();
}

double BytesOfTurn(const Plan& plan, const Repeat& repeat, const graph::ParameterValues& values) {
  double bytes = 0;
  for (const auto& [id, times] : MovedInTurn(plan, repeat)) {
    const Buffer& buffer = plan.buffers[id];
    double each = SizeInBytes(buffer.type, buffer.format);
    for (const graph::LinearForm& extent : buffer.extents) {
      each *= static_cast<double>(graph::Evaluate(extent, values));
    }
    bytes += static_cast<double>(times) * each;
  }
  return bytes;
}

std::variant<TurnGraph, std::string> FindTurnGraph(const Plan& plan, const Repeat& repeat,
                                                   const GraphRules& rules) {
  TurnReader reader(plan, repeat);
  if (std::string problem = reader.Read(); !problem.empty()) return problem;
  if (reader.launches() == 0) return "it launches nothing";
  if (reader.launches() > kMostLaunches) {
    return fmt::format("a turn has more than {} launches", kMostLaunches);
  }
  TurnGraph graph;
  graph.period = reader.Period();
  const std::int64_t of_period = graph.period * reader.launches();
  graph.turns = graph.period * std::max<std::int64_t>(1, (kLaunches + of_period - 1) / of_period);
  const bool always = rules.use == GraphUse::Always;
  graph.least = always ? graph.period + 1 : kGraphsToPay * graph.turns;
  const auto known = KnownTurns(plan, repeat);
  const std::int64_t most = repeat.turns.remainder ? repeat.turns.divisor - 1 : INT64_MAX;
  if (known.value_or(most) < graph.least) {
    const std::int64_t turns = known.value_or(most);
    return fmt::format("it has {}{}, and graphs pay from {} on", known ? "" : "at most ",
                       CountText(turns, "turn"), graph.least);
  }
  if (always) return graph;
  graph.most_bytes =
      static_cast<std::int64_t>(static_cast<double>(reader.launches()) * rules.bytes_of_launch);
  if (SizesAreKnown(plan, reader.moved())) {
    if (BytesOfTurn(plan, repeat, {}) > static_cast<double>(graph.most_bytes)) {
      return "its kernels take longer than launches";
    }
    graph.most_bytes = 0;
  }
  return graph;
}

Plan AddTurnGraphs(Plan plan, const GraphRules& rules) {
  if (rules.use == GraphUse::Never) return plan;
  // Found in the plan as it is, put into it as it becomes.
  std::vector<Step> steps = plan.steps;
  AddTo(plan, steps, rules);
  plan.steps = std::move(steps);
  return plan;
}

std::vector<std::string> VerifyTurnGraphs(const Plan& plan) {
  std::vector<std::string> problems;
  CheckGraphs(plan, plan.steps, false, problems);
  return problems;
}

}  // namespace stencilgen::plan
