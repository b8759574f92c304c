#include "sema/written_parts.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "graph/reduction.h"
#include "sema/point_set.h"

namespace stencilgen::sema {

using graph::Access;
using graph::Bound;
using graph::Box;
using graph::Index;
using graph::Interval;
using graph::LinearForm;
using graph::Operator;

namespace {

/// form mod stride, where that is the same for all parameters.
std::optional<std::int64_t> Remainder(const LinearForm& form, std::int64_t stride) {
  for (const auto& [id, factor] : form.terms) {
    if (factor % stride != 0) return std::nullopt;
  }
  return form.constant - stride * graph::FloorDiv(form.constant, stride);
}

bool Contains(const Phase& outer, const Phase& inner) {
  if (outer.stride == 1) return true;
  if (outer.stride == 0) return inner.stride == 0 && inner.first == outer.first;
  return inner.stride % outer.stride == 0 &&
         Remainder(inner.first - outer.first, outer.stride) == 0;
}

/// Phases are equal but for that of dimension `except`.
bool SamePhases(const Part& a, const Part& b, std::size_t except) {
  for (std::size_t d = 0; d < a.phases.size(); ++d) {
    if (d == except) continue;
    if (!Contains(a.phases[d], b.phases[d]) || !Contains(b.phases[d], a.phases[d])) return false;
  }
  return true;
}
bool SamePhases(const Part& a, const Part& b) {
  return SamePhases(a, b, a.phases.size());
}

/// The places of an index with a stride, with those around them that no other place of its phase is
/// among: parts of other phases have the same intervals then.
Interval PlacesOf(const Index& index, const Interval& iterator_values) {
  const bool forward = index.coefficient > 0;
  const std::int64_t between = std::abs(index.coefficient) - 1;
  const auto place = [&](const Bound& bound, std::int64_t beyond) -> Bound {
    const LinearForm at = bound.numerator * index.coefficient + index.offset * bound.divisor;
    // A fraction bounds the places themselves.
    return bound.divisor == 1 ? Bound{at + beyond, 1} : Bound{at, bound.divisor};
  };
  Interval places;
  for (const Bound& bound : forward ? iterator_values.lower : iterator_values.upper) {
    AddLower(places, place(bound, -between));
  }
  for (const Bound& bound : forward ? iterator_values.upper : iterator_values.lower) {
    AddUpper(places, place(bound, between));
  }
  return places;
}

bool HasStride(const Index& index) {
  return index.iterator >= 0 && index.coefficient != 1 && index.coefficient != -1;
}

/// Requires: the index has an iterator.
Phase PhaseOf(const Index& index) {
  return {std::abs(index.coefficient), index.offset};
}

const Interval& ValuesOf(const Operator& op, int iterator) {
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), iterator);
  return op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
}

/// Where parts have all phases of dimension `d` between them, `part` among them: what they have in
/// common, with each element along `d`.
std::optional<Part> Complete(const std::vector<Part>& parts, const Part& part, std::size_t d) {
  const std::int64_t stride = part.phases[d].stride;
  if (stride < 2) return std::nullopt;
  Part whole = part;
  whole.phases[d] = {};
  for (std::int64_t shift = 1; shift < stride; ++shift) {
    const Phase wanted{stride, part.phases[d].first + shift};
    const auto other = std::find_if(parts.begin(), parts.end(), [&](const Part& any) {
      return Contains(any.phases[d], wanted) && SamePhases(any, part, d);
    });
    if (other == parts.end()) return std::nullopt;
    for (std::size_t e = 0; e < whole.box.size(); ++e) {
      whole.box[e] = Intersect(whole.box[e], other->box[e]);
    }
  }
  return whole;
}

}  // namespace

Part WholeBox(Box box) {
  std::vector<Phase> phases(box.size());
  return {std::move(box), std::move(phases)};
}

std::optional<Part> PartWritten(const Operator& op) {
  if (op.reduction) {
    if (!IsWhole(*op.reduction)) return std::nullopt;
    return WholeBox(graph::WrittenBox(op));
  }
  Part part = WholeBox(graph::WrittenBox(op));
  std::set<int> walked;
  for (std::size_t d = 0; d < op.target.size(); ++d) {
    const Index& index = op.target[d];
    if (index.iterator < 0) continue;
    if (!walked.insert(index.iterator).second) return std::nullopt;
    if (!HasStride(index)) continue;
    part.box[d] = PlacesOf(index, ValuesOf(op, index.iterator));
    part.phases[d] = PhaseOf(index);
  }
  return part;
}

Part PartRead(const Operator& op, const Access& access, const graph::Array& array) {
  Part part = WholeBox(graph::ReadBox(op, access, array));
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Index& index = access.indices[d];
    const bool bounded =
        !access.boundary.empty() && access.boundary[d].kind != graph::BoundaryKind::None;
    if (index.place.Valid() || bounded) continue;
    if (index.iterator < 0) part.phases[d] = {0, index.offset};
    if (HasStride(index)) part.phases[d] = PhaseOf(index);
  }
  return part;
}

bool Contains(const Part& outer, const Part& inner) {
  for (std::size_t d = 0; d < outer.box.size(); ++d) {
    if (!AlwaysContains(outer.box[d], inner.box[d])) return false;
    if (!Contains(outer.phases[d], inner.phases[d])) return false;
  }
  return true;
}

void Join(std::vector<Part>& parts, Part part) {
  Coverage merged{true, true, PointSet{part.box, {}}};
  std::vector<Part> rest;
  for (Part& old : parts) {
    Coverage trial = merged;
    if (SamePhases(old, part)) AddBox(trial, PointSet{old.box, {}});
    if (SamePhases(old, part) && trial.is_box) {
      merged = trial;
    } else {
      rest.push_back(std::move(old));
    }
  }
  part.box = std::move(merged.box.intervals);
  rest.push_back(part);
  parts = std::move(rest);
  for (std::size_t d = 0; d < part.phases.size(); ++d) {
    if (auto whole = Complete(parts, part, d)) {
      std::erase_if(parts, [&](const Part& any) { return Contains(*whole, any); });
      Join(parts, std::move(*whole));
    }
  }
}

void ForEachForm(Part& part, const std::function<void(LinearForm&)>& change) {
  for (Interval& interval : part.box) {
    for (auto* bounds : {&interval.lower, &interval.upper}) {
      for (Bound& bound : *bounds) change(bound.numerator);
    }
  }
  for (Phase& phase : part.phases) change(phase.first);
}

bool AnyForm(const Interval& interval, const std::function<bool(const LinearForm&)>& condition) {
  const auto any = [&](const std::vector<Bound>& bounds) {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](const Bound& bound) { return condition(bound.numerator); });
  };
  return any(interval.lower) || any(interval.upper);
}

bool AnyForm(const Part& part, const std::function<bool(const LinearForm&)>& condition) {
  return std::any_of(part.box.begin(), part.box.end(),
                     [&](const Interval& interval) { return AnyForm(interval, condition); }) ||
         std::any_of(part.phases.begin(), part.phases.end(),
                     [&](const Phase& phase) { return condition(phase.first); });
}

}  // namespace stencilgen::sema
