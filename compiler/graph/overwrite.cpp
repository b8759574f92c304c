#include "graph/overwrite.h"

#include <algorithm>
#include <optional>

namespace stencilgen::graph {

bool AlwaysApart(const Interval& a, const Interval& b) {
  return AlwaysEmpty({a.lower, b.upper}) || AlwaysEmpty({b.lower, a.upper});
}

namespace {

/// The places that the operator's points give an index, which is `iterator + offset` or a place;
/// empty where it is neither. Bounds may have divisors.
std::optional<Interval> PlacesOf(const Operator& op, const Index& index) {
  if (index.place.Valid()) return std::nullopt;
  if (index.iterator < 0) return Interval{{{index.offset, 1}}, {{index.offset, 1}}};
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
  if (index.coefficient != 1 || at == op.iterators.end()) return std::nullopt;
  Interval places = op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
  for (Bound& bound : places.lower) {
    bound.numerator = bound.numerator + index.offset * bound.divisor;
  }
  for (Bound& bound : places.upper) {
    bound.numerator = bound.numerator + index.offset * bound.divisor;
  }
  return places;
}

/// True where some lower bound is an upper bound, too.
bool IsOnePlace(const Interval& places) {
  return std::any_of(places.lower.begin(), places.lower.end(), [&](const Bound& bound) {
    return std::find(places.upper.begin(), places.upper.end(), bound) != places.upper.end();
  });
}

/// True where what a point reads at `indices` is what it writes or what no point writes: some
/// dimension keeps both apart, or they differ along one alone, which has one place written.
bool ReadsOwnOrUnwritten(const Operator& op, const std::vector<Index>& indices,
                         const std::vector<Boundary>& boundary) {
  if (indices == op.target) return true;  // inside the array, whatever modes say
  std::size_t others = 0;
  bool one_place = false;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!boundary.empty() && boundary[d].kind != BoundaryKind::None) return false;
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

bool MayWriteOver(const Graph& graph, const Operator& op, VersionId version) {
  for (ExprId expr : Accesses(graph, op)) {
    const auto& access = std::get<Access>(graph.exprs[expr].node);
    if (access.version != version) continue;
    if (!ReadsOwnOrUnwritten(op, access.indices, access.boundary)) return false;
  }
  return true;
}

}  // namespace stencilgen::graph
