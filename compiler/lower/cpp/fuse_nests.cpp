#include "lower/cpp/fuse_nests.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernel/lower_body.h"
#include "lower/cpp/choose_vectors.h"
#include "lower/cpp/nest_cost.h"
#include "plan/fuse_loops.h"

namespace stencilgen::lower::cpp {
namespace {

using Operators = std::vector<const graph::Operator*>;

/// Longer bodies take compilers too long.
constexpr std::size_t kMostInstructions = 1200;
/// What one nest must gain over several: less is within what the model does not know.
constexpr double kLeastGain = 1.05;
/// The same where vectors are given up for it, in which operators gain more than is counted on.
constexpr double kVectorsGain = 1.4;
/// Rows of arrays in the first-level cache at once, or where an operator has as many, by how much
/// more; and how much longer rows take to come where there are more of them.
constexpr double kMostRows = 40;
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
    const graph::ArrayId array = graph.versions[op->result].array;
    if (read.count(op->result) == 0 || !graph.arrays[array].local) written.insert(array);
  }
  return written.size();
}

/// Cycles of a point of nests, in vectors where that is what an operator would be in alone.
class NestPrices {
 public:
  NestPrices(const plan::Schedule& schedule, const Options& options)
      : schedule_(schedule), options_(options) {}

  double operator()(const graph::Graph& graph, const Operators& ops) {
    const kernel::Body body = Lowered(graph, ops);
    const double memory = kContention * MemoryCycles(body, CountWritten(graph, ops));
    bool any_vectors = false;
    std::size_t most_rows = 0;  // of an operator
    for (const graph::Operator* op : ops) {
      const Alone& alone = FindAlone(graph, *op);
      any_vectors = any_vectors || alone.vectors;
      most_rows = std::max(most_rows, alone.rows);
    }
    if (ops.size() == 1 && any_vectors) {
      return std::max(*FindAlone(graph, *ops.front()).vectors, memory);
    }
    if (ops.size() > 1 && body.instructions.size() > kMostInstructions) {
      return std::numeric_limits<double>::infinity();
    }
    const bool scalar = std::any_of(ops.begin(), ops.end(), [&](const graph::Operator* op) {
      return ReadsUnderConditions(graph, *op);
    });
    const auto rows = static_cast<double>(RowsOf(body));
    const bool crowded = rows > std::max(kMostRows, kMoreRows * static_cast<double>(most_rows));
    const double core = (scalar ? kScalar : 1) * PlainCycles(body) +
                        (crowded ? kCrowded : 1) * TrafficCycles(body, *ops.front(), 1);
    const double gain = ops.size() == 1 ? 1 : (any_vectors ? kVectorsGain : kLeastGain);
    return gain * std::max(core, memory);
  }

 private:
  /// What an operator is by itself.
  struct Alone {
    std::optional<double> vectors;  ///< cycles, where it would be in vectors
    std::size_t rows = 0;           ///< that it reads
  };

  static kernel::Body Lowered(const graph::Graph& graph, const Operators& ops) {
    const std::vector<std::vector<std::int64_t>> point(ops.front()->iterators.size(), {0});
    return kernel::LowerBody(graph, ops, kernel::StatementsAt(ops.size(), point));
  }

  const Alone& FindAlone(const graph::Graph& graph, const graph::Operator& op) {
    const auto [known, is_new] = alone_.try_emplace(&op);
    if (is_new) {
      const auto vectors = ChooseVectors(graph, op, schedule_, options_);
      if (vectors) known->second.vectors = vectors->cycles;
      known->second.rows = RowsOf(Lowered(graph, {&op}));
    }
    return known->second;
  }

  const plan::Schedule& schedule_;
  const Options& options_;
  std::map<const graph::Operator*, Alone> alone_;
};

}  // namespace

plan::Plan FuseNests(plan::Plan plan, plan::Fusion fusion, const Options& options) {
  if (fusion == plan::Fusion::None || plan.kernels.size() < 2) return plan;
  if (fusion == plan::Fusion::Max) {
    return plan::FuseLoops(std::move(plan),
                           [](const graph::Graph&, const Operators&) { return 1; });
  }
  const plan::Schedule schedule = plan.kernels.begin()->schedule;
  NestPrices prices(schedule, options);
  return plan::FuseLoops(std::move(plan), std::ref(prices));
}

}  // namespace stencilgen::lower::cpp
