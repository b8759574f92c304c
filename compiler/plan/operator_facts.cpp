#include "plan/operator_facts.h"

#include <algorithm>
#include <set>

#include "graph/nodes.h"
#include "graph/reduction.h"
#include "graph/regions.h"

namespace stencilgen::plan {

using graph::Interval;
using graph::Operator;

bool Reads(const graph::Graph& graph, const Operator& op, graph::VersionId version) {
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId expr) {
    return std::get<graph::Access>(graph.exprs[expr].node).version == version;
  });
}

bool HasPlainTarget(const Operator& op) {
  for (std::size_t d = 0; d < op.target.size(); ++d) {
    if (!graph::IsPlain(op.target[d])) return false;
    for (std::size_t e = 0; e < d; ++e) {
      if (op.target[e].iterator == op.target[d].iterator) return false;
    }
  }
  return true;
}

bool WritesOwnElements(const Operator& op) {
  std::set<int> walked;
  for (const graph::Index& index : op.target) {
    if (index.iterator < 0) {
      if (!index.offset.IsConstant()) return false;
      continue;
    }
    if (!graph::IsPlain(index) || !walked.insert(index.iterator).second) return false;
  }
  return walked.size() == op.iterators.size();
}

bool AreOtherComponents(const std::vector<graph::Index>& a, const std::vector<graph::Index>& b) {
  const auto is_component = [](const graph::Index& index) {
    return index.iterator < 0 && !index.place.Valid() && index.offset.IsConstant();
  };
  for (std::size_t d = 0; d < a.size() && d < b.size(); ++d) {
    if (is_component(a[d]) && is_component(b[d]) && !(a[d].offset == b[d].offset)) return true;
  }
  return false;
}

bool IsInLanes(const Operator& op) {
  return op.reduction && !graph::IsWhole(*op.reduction);
}

const Operator* FindReduction(const graph::Graph& graph, const std::vector<graph::NodeId>& ops) {
  for (const graph::NodeId node : ops) {
    const Operator& op = graph::OperatorOf(graph, node);
    if (op.reduction) return &op;
  }
  return nullptr;
}

bool HasModes(const graph::Access& access) {
  return std::any_of(
      access.boundary.begin(), access.boundary.end(),
      [](const graph::Boundary& mode) { return mode.kind != graph::BoundaryKind::None; });
}

bool HasModes(const graph::Graph& graph, const Operator& op) {
  const std::vector<graph::ExprId> accesses = graph::Accesses(graph, op);
  return std::any_of(accesses.begin(), accesses.end(), [&](graph::ExprId id) {
    return HasModes(std::get<graph::Access>(graph.exprs[id].node));
  });
}

bool AlwaysRuns(const Operator& op) {
  return std::all_of(op.domain.guards.begin(), op.domain.guards.end(), graph::AlwaysNonNegative);
}

bool CoversDimension(const graph::Graph& graph, const Operator& op, std::size_t d) {
  const graph::Box all = graph::WholeArray(graph.arrays[graph.versions[op.result].array]);
  return graph::AlwaysContains(op.domain.intervals[d], all[d]);
}

bool CoversArray(const graph::Graph& graph, const Operator& op) {
  if (!HasPlainTarget(op) || !AlwaysRuns(op)) return false;
  const graph::Box all = graph::WholeArray(graph.arrays[graph.versions[op.result].array]);
  for (std::size_t d = 0; d < op.target.size(); ++d) {
    const auto place = std::find(op.iterators.begin(), op.iterators.end(), op.target[d].iterator);
    if (place == op.iterators.end()) return false;
    const Interval& written =
        op.domain.intervals[static_cast<std::size_t>(place - op.iterators.begin())];
    if (!graph::AlwaysContains(written, all[d])) return false;
  }
  return true;
}

bool WritesSameElements(const Operator& a, const Operator& b) {
  return a.iterators == b.iterators && a.target == b.target && a.domain == b.domain;
}

}  // namespace stencilgen::plan
