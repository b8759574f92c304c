#include "plan/operator_facts.h"

#include <algorithm>
#include <optional>

#include "graph/regions.h"

namespace stencilgen::plan {

using graph::Interval;
using graph::Operator;

namespace {

/// The places that the operator's points give an index, which is `iterator + offset` or a place;
/// empty where it is neither. Bounds may have divisors.
std::optional<Interval> PlacesOf(const Operator& op, const graph::Index& index) {
  if (index.place.Valid()) return std::nullopt;
  if (index.iterator < 0) return Interval{{{index.offset, 1}}, {{index.offset, 1}}};
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
  if (index.coefficient != 1 || at == op.iterators.end()) return std::nullopt;
  Interval places = op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
  for (graph::Bound& bound : places.lower) {
    bound.numerator = bound.numerator + index.offset * bound.divisor;
  }
  for (graph::Bound& bound : places.upper) {
    bound.numerator = bound.numerator + index.offset * bound.divisor;
  }
  return places;
}

/// True where some lower bound is an upper bound, too.
bool IsOnePlace(const Interval& places) {
  return std::any_of(places.lower.begin(), places.lower.end(), [&](const graph::Bound& bound) {
    return std::find(places.upper.begin(), places.upper.end(), bound) != places.upper.end();
  });
}

bool AlwaysApart(const Interval& a, const Interval& b) {
  return graph::AlwaysEmpty({a.lower, b.upper}) || graph::AlwaysEmpty({b.lower, a.upper});
}

/// True where what a point reads at `indices` is what it writes or what no point writes: some
/// dimension keeps both apart, or they differ along one alone, which has one place written.
bool ReadsOwnOrUnwritten(const Operator& op, const std::vector<graph::Index>& indices,
                         const std::vector<graph::Boundary>& boundary) {
  if (indices == op.target) return true;  // inside the array, whatever modes say
  std::size_t others = 0;
  bool one_place = false;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!boundary.empty() && boundary[d].kind != graph::BoundaryKind::None) return false;
    const std::optional<Interval> read = PlacesOf(op, indices[d]);
    const std::optional<Interval> written = PlacesOf(op, op.target[d]);
    if (!written) return false;
    if (read && AlwaysApart(*read, *written)) return true;
    if (indices[d] == op.target[d]) continue;
    ++others;
    one_place = IsOnePlace(*written);
  }
  return others == 1 && one_place;
}

}  // namespace

bool MayWriteOver(const graph::Graph& graph, const Operator& op, graph::VersionId version) {
  for (graph::ExprId expr : graph::Accesses(graph, op)) {
    const auto& access = std::get<graph::Access>(graph.exprs[expr].node);
    if (access.version != version) continue;
    if (!ReadsOwnOrUnwritten(op, access.indices, access.boundary)) return false;
  }
  return true;
}

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
