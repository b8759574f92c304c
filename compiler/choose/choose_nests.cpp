#include "choose/choose_nests.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "choose/choose_vectors.h"
#include "choose/nest_cost.h"
#include "choose/nest_traffic.h"
#include "plan/fuse_loops.h"

namespace stencilgen::choose {
namespace {

using Operators = std::vector<const graph::Operator*>;

/// What one nest must gain over several: less is within what the model does not know.
constexpr double kLeastGainOfNest = 1.05;
/// The same where vectors are given up for it, in which operators gain more than is counted on.
constexpr double kGainOverVectors = 1.4;
/// Rows of arrays in the first-level cache at once, or where an operator has as many, by how much
/// more; and how much longer rows take to come where there are more of them.
constexpr double kMostRowsOfNest = 40;
constexpr double kMoreRows = 1.8;
constexpr double kCrowded = 2;
/// How much longer the arithmetic of loops takes that compilers do not vectorise.
constexpr double kScalar = 4;
/// Arrays are larger than caches, and all threads want them: how much longer memory takes then.
constexpr double kContention = 2;

/// What must be written to memory: not what only the nest itself reads, as a stencil's own arrays.
std::size_t CountWritten(const graph::Graph& graph, const Operators& ops) {
  std::set<graph::VersionId> read;
  for (const graph::Operator* op : ops) {
    for (graph::ExprId id : graph::Accesses(graph, *op)) {
      read.insert(std::get<graph::Access>(graph.exprs[id].node).version);
    }
  }
  std::set<graph::ArrayId> written;
  for (const graph::Operator* op : ops) {
    if (op->reduction) continue;  // lanes stay in caches
    const graph::ArrayId array = graph.versions[op->result].array;
    if (read.count(op->result) == 0 || !graph.arrays[array].local) written.insert(array);
  }
  return written.size();
}

/// Seconds on all cores, for cycles as nest_cost.h has them: a turn of 16 points on vectors of 64
/// bytes.
double SecondsOfCycles(double cycles, const machine::Cpu& cpu) {
  constexpr double kPoints = 16;
  constexpr double kBytes = 64;
  return cycles / kPoints * (kBytes / cpu.vector_bytes) / cpu.clock / cpu.cores;
}

/// Prices nests, in vectors where that is what an operator would be in alone.
class NestChooser {
 public:
  NestChooser(const plan::Schedule& schedule, const NestOptions& options)
      : schedule_(schedule), options_(options) {}

  /// Cycles of a point.
  double operator()(const graph::Graph& graph, const Operators& ops) {
    const Costs costs = FindCosts(graph, ops);
    bool any_vectors = false;
    for (const graph::Operator* op : ops) {
      any_vectors = FindVectors(graph, *op).has_value() || any_vectors;
    }
    if (ops.size() == 1 && any_vectors) {
      return std::max(FindVectors(graph, *ops.front())->cycles, costs.memory);
    }
    if (ops.size() > 1 && costs.instructions > kMostInstructions) {
      return std::numeric_limits<double>::infinity();
    }
    const double gain = ops.size() == 1 ? 1 : (any_vectors ? kGainOverVectors : kLeastGainOfNest);
    return gain * std::max(costs.core, costs.memory);
  }

  /// The nest of operators that share one.
  plan::LoopNest Choose(const graph::Graph& graph, const Operators& ops, NestReport& report) {
    const graph::Operator& first = *ops.front();
    const std::size_t count = first.iterators.size();
    plan::LoopNest nest = plan::PlainNest(count);
    for (std::size_t axis = 1; axis < count && axis < schedule_.unroll.size(); ++axis) {
      nest.points[count - 1 - axis] = schedule_.unroll[axis];
    }
    const Costs costs = FindCosts(graph, ops);
    report.memory = costs.memory;
    report.core = costs.core;
    report.cycles = std::max(costs.core, costs.memory);
    report.reason = ops.size() > 1 ? fmt::format("{} statements share what they read", ops.size())
                                   : "compilers' own vectors do as well";
    if (ops.size() == 1) {
      if (const auto& vectors = FindVectors(graph, first)) {
        nest = vectors->nest;
        report.plain = std::max(vectors->plain, costs.memory);
        report.core = vectors->cycles;
        report.cycles = std::max(vectors->cycles, costs.memory);
        report.reason = "an order of its own needs fewer loads";
      }
    }
    for (std::size_t n = 1; n < count; ++n) {
      const auto iterator = static_cast<std::size_t>(first.iterators[n]);
      if (iterator < options_.tile.size()) nest.tile[n] = options_.tile[iterator];
    }
    nest.threads = options_.threads;
    PriceNest(graph, ops, nest, options_, report);
    return nest;
  }

 private:
  /// Of a point of a plain nest.
  struct Costs {
    double core = 0, memory = 0;
    std::size_t instructions = 0;
  };

  Costs FindCosts(const graph::Graph& graph, const Operators& ops) {
    if (ops.front()->iterators.empty()) return {};  // one element, at a fixed place
    const kernel::Body body = LowerPoint(graph, ops);
    Costs costs;
    costs.instructions = body.instructions.size();
    costs.memory = kContention * MemoryCycles(body, CountWritten(graph, ops));
    std::size_t most_rows = 0;  // of an operator
    for (const graph::Operator* op : ops) {
      most_rows = std::max(most_rows, RowsOf(LowerPoint(graph, {op})));
    }
    const bool scalar = std::any_of(ops.begin(), ops.end(), [&](const graph::Operator* op) {
      return ReadsUnderConditions(graph, *op);
    });
    const auto rows = static_cast<double>(RowsOf(body));
    const bool crowded =
        rows > std::max(kMostRowsOfNest, kMoreRows * static_cast<double>(most_rows));
    costs.core = (scalar ? kScalar : 1) * PlainCycles(body) +
                 (crowded ? kCrowded : 1) * TrafficCycles(body, *ops.front(), 1);
    return costs;
  }

  /// What the operator would be in alone, if that is vectors.
  const std::optional<VectorChoice>& FindVectors(const graph::Graph& graph,
                                                 const graph::Operator& op) {
    const auto [known, is_new] = vectors_.try_emplace(op.result);
    if (is_new) known->second = ChooseVectors(graph, op, schedule_, options_);
    return known->second;
  }

  const plan::Schedule schedule_;
  const NestOptions& options_;
  std::map<graph::VersionId, std::optional<VectorChoice>> vectors_;  ///< by what operators make
};

plan::Plan FuseNests(plan::Plan plan, const NestOptions& options, NestChooser& chooser) {
  if (options.fusion == plan::Fusion::None || plan.kernels.size() < 2) return plan;
  if (options.fusion == plan::Fusion::Max) {
    return plan::FuseLoops(std::move(plan),
                           [](const graph::Graph&, const Operators&) { return 1; });
  }
  return plan::FuseLoops(std::move(plan), std::ref(chooser));
}

}  // namespace

void PriceNest(const graph::Graph& graph, const Operators& ops, const plan::LoopNest& nest,
               const NestOptions& options, NestReport& report) {
  if (ops.front()->iterators.empty() || options.sizes.size() != graph.parameters.size()) return;
  report.points = 1;
  for (double extent : ExtentsOf(*ops.front(), options.sizes)) report.points *= extent;
  const NestTraffic traffic = FindTraffic(graph, ops, nest, options.sizes, options.cpu);
  report.bytes = traffic.memory;
  const double moving = SecondsOf(traffic, nest, options.cpu);
  const double computing = SecondsOfCycles(report.core, options.cpu);
  report.by_memory = moving >= computing;
  report.seconds = report.points * std::max(moving, computing);
}

ChosenNests ChooseNests(plan::Plan plan, const NestOptions& options) {
  ChosenNests chosen;
  if (plan.kernels.empty()) {
    chosen.plan = std::move(plan);
    return chosen;
  }
  // Kernels without tiles all have the schedule that was given.
  NestChooser chooser(plan.kernels.begin()->schedule, options);
  chosen.plan = FuseNests(std::move(plan), options, chooser);
  for (plan::Kernel& kernel : chosen.plan.kernels) {
    Operators ops;
    for (graph::NodeId node : kernel.ops) {
      ops.push_back(&std::get<graph::Operator>(chosen.plan.graph.nodes[node]));
    }
    kernel.nest = chooser.Choose(chosen.plan.graph, ops, chosen.reports.emplace_back());
  }
  return chosen;
}

}  // namespace stencilgen::choose
