#include "sema/point_set.h"

#include <algorithm>

namespace stencilgen::sema {

using graph::Bound;
using graph::Index;
using graph::Interval;
using graph::LinearForm;

PointSet Everywhere(int iterators) {
  return {std::vector<Interval>(static_cast<std::size_t>(iterators)), {}};
}

void AddGuard(PointSet& set, const LinearForm& form) {
  if (AlwaysNonNegative(form)) return;
  if (std::find(set.guards.begin(), set.guards.end(), form) != set.guards.end()) return;
  set.guards.push_back(form);
}

void Constrain(PointSet& set, const Index& index, const Interval& allowed) {
  // coefficient*it + offset >= n/d  <=>  d*coefficient*it >= n - d*offset, and alike for <=.
  for (const Bound& bound : allowed.lower) {
    const LinearForm rest = bound.numerator - index.offset * bound.divisor;
    if (index.iterator < 0) {
      AddGuard(set, rest * -1);
      continue;
    }
    Interval& interval = set.intervals[static_cast<std::size_t>(index.iterator)];
    const std::int64_t factor = bound.divisor * index.coefficient;
    if (factor > 0) {
      AddLower(interval, {rest, factor});
    } else {
      AddUpper(interval, {rest * -1, -factor});
    }
  }
  for (const Bound& bound : allowed.upper) {
    const LinearForm rest = bound.numerator - index.offset * bound.divisor;
    if (index.iterator < 0) {
      AddGuard(set, rest);
      continue;
    }
    Interval& interval = set.intervals[static_cast<std::size_t>(index.iterator)];
    const std::int64_t factor = bound.divisor * index.coefficient;
    if (factor > 0) {
      AddUpper(interval, {rest, factor});
    } else {
      AddLower(interval, {rest * -1, -factor});
    }
  }
}

PointSet Intersect(PointSet a, const PointSet& b) {
  for (std::size_t d = 0; d < a.intervals.size(); ++d) {
    a.intervals[d] = graph::Intersect(a.intervals[d], b.intervals[d]);
  }
  for (const LinearForm& guard : b.guards) AddGuard(a, guard);
  return a;
}

namespace {

bool GuardsImplied(const PointSet& outer, const PointSet& inner) {
  return std::all_of(outer.guards.begin(), outer.guards.end(), [&](const LinearForm& guard) {
    return std::any_of(inner.guards.begin(), inner.guards.end(),
                       [&](const LinearForm& held) { return AlwaysNonNegative(guard - held); });
  });
}

bool IntervalsContained(const PointSet& outer, const PointSet& inner, std::size_t except) {
  for (std::size_t d = 0; d < outer.intervals.size(); ++d) {
    if (d != except && !AlwaysContains(outer.intervals[d], inner.intervals[d])) return false;
  }
  return true;
}

bool SameBound(const std::vector<Bound>& bounds, const Bound& bound) {
  return std::find(bounds.begin(), bounds.end(), bound) != bounds.end();
}

/// low starts and ends before high, and they touch or overlap: every upper bound of `low` either
/// reaches `high`'s lower bounds or also limits `high`.
bool Adjoin(const Interval& low, const Interval& high) {
  const bool ordered = AlwaysContains(Interval{low.lower, {}}, Interval{high.lower, {}}) &&
                       AlwaysContains(Interval{{}, high.upper}, Interval{{}, low.upper});
  if (!ordered) return false;
  return std::all_of(low.upper.begin(), low.upper.end(), [&](const Bound& end) {
    if (SameBound(high.upper, end)) return true;
    if (end.divisor != 1) return false;
    return std::all_of(high.lower.begin(), high.lower.end(), [&](const Bound& start) {
      return start.divisor == 1 && AlwaysNonNegative(end.numerator + 1 - start.numerator);
    });
  });
}

}  // namespace

bool AlwaysContains(const PointSet& outer, const PointSet& inner) {
  return GuardsImplied(outer, inner) && IntervalsContained(outer, inner, outer.intervals.size());
}

void AddBox(Coverage& coverage, const PointSet& box) {
  if (!coverage.any) {
    coverage = {true, true, box};
    return;
  }
  if (!coverage.is_box || AlwaysContains(coverage.box, box)) return;
  if (AlwaysContains(box, coverage.box)) {
    coverage.box = box;
    return;
  }
  // Two boxes equal but in one dimension, where they touch, make a box.
  for (std::size_t d = 0; d < box.intervals.size(); ++d) {
    const bool equal_elsewhere =
        IntervalsContained(coverage.box, box, d) && IntervalsContained(box, coverage.box, d) &&
        GuardsImplied(box, coverage.box) && GuardsImplied(coverage.box, box);
    if (!equal_elsewhere) continue;
    const Interval& old = coverage.box.intervals[d];
    const Interval& added = box.intervals[d];
    if (Adjoin(old, added)) {
      coverage.box.intervals[d] = {old.lower, added.upper};
      return;
    }
    if (Adjoin(added, old)) {
      coverage.box.intervals[d] = {added.lower, old.upper};
      return;
    }
  }
  coverage.is_box = false;
}

}  // namespace stencilgen::sema
