#include "codegen/cpp/fuse_nests.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "codegen/cpp/choose_vectors.h"
#include "codegen/cpp/nest_cost.h"
#include "kernel/lower_body.h"
#include "plan/fuse_loops.h"

namespace stencilgen::codegen::cpp {
namespace {

using Operators = std::vector<const graph::Operator*>;

/// Longer bodies take compilers too long.
constexpr std::size_t kMostInstructions = 1200;
/// What one nest must gain over several: less is within what the model does not know.
constexpr double kLeastGain = 1.05;
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

/// Cycles of a point of a nest, in vectors where that is what an operator would be in alone.
double PriceOf(const graph::Graph& graph, const Operators& ops, const plan::Schedule& schedule,
               const CodegenOptions& options) {
  const std::vector<std::vector<std::int64_t>> point(ops.front()->iterators.size(), {0});
  const kernel::Body body = kernel::LowerBody(graph, ops, kernel::StatementsAt(ops.size(), point));
  const double memory = kContention * MemoryCycles(body, CountWritten(graph, ops));
  if (ops.size() == 1) {
    const auto vectors = ChooseVectors(graph, *ops.front(), schedule, options);
    if (vectors) return std::max(vectors->cycles, memory);
  } else if (body.instructions.size() > kMostInstructions) {
    return std::numeric_limits<double>::infinity();
  }
  const bool scalar = std::any_of(ops.begin(), ops.end(), [&](const graph::Operator* op) {
    return ReadsUnderConditions(graph, *op);
  });
  const double core =
      (scalar ? kScalar : 1) * PlainCycles(body) + TrafficCycles(body, *ops.front(), 1);
  return (ops.size() == 1 ? 1 : kLeastGain) * std::max(core, memory);
}

}  // namespace

plan::Plan FuseNests(plan::Plan plan, plan::Fusion fusion, const CodegenOptions& options) {
  if (fusion == plan::Fusion::None || plan.kernels.size() < 2) return plan;
  if (fusion == plan::Fusion::Max) {
    return plan::FuseLoops(std::move(plan),
                           [](const graph::Graph&, const Operators&) { return 1; });
  }
  const plan::Schedule schedule = plan.kernels.begin()->schedule;
  return plan::FuseLoops(std::move(plan), [&](const graph::Graph& graph, const Operators& ops) {
    return PriceOf(graph, ops, schedule, options);
  });
}

}  // namespace stencilgen::codegen::cpp
