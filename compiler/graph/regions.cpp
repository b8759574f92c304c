#include "graph/regions.h"

#include <algorithm>
#include <set>

#include "graph/reduction.h"

namespace stencilgen::graph {
namespace {

Interval OnlyLower(const Bound& bound) {
  return {{bound}, {}};
}
Interval OnlyUpper(const Bound& bound) {
  return {{}, {bound}};
}

/// index at the bound: coefficient * (n / d) + offset = (coefficient * n + d * offset) / d.
Bound Scaled(const Bound& bound, const Index& index) {
  return {bound.numerator * index.coefficient + index.offset * bound.divisor, bound.divisor};
}

/// The values of an index that has no iterator.
Interval Single(const LinearForm& form) {
  Interval interval;
  AddLower(interval, {form, 1});
  AddUpper(interval, {form, 1});
  return interval;
}

/// The values of an index where its iterator takes those of an interval.
Interval ImageOf(const Index& index, const Interval& iterator_values) {
  Interval image;
  const bool forward = index.coefficient > 0;
  for (const Bound& bound : forward ? iterator_values.lower : iterator_values.upper) {
    AddLower(image, Scaled(bound, index));
  }
  for (const Bound& bound : forward ? iterator_values.upper : iterator_values.lower) {
    AddUpper(image, Scaled(bound, index));
  }
  return image;
}

/// `x` less `hole`, where the hole covers one end of it; all of x where it is not known to.
Interval Shortened(const Interval& x, const Interval& hole) {
  const auto plain = [](const std::vector<Bound>& bounds) {
    return bounds.size() == 1 && bounds.front().divisor == 1;
  };
  if (AlwaysContains({hole.lower, {}}, {x.lower, {}}) && plain(hole.upper)) {
    return Intersect(x, OnlyLower({hole.upper.front().numerator + 1, 1}));
  }
  if (AlwaysContains({{}, hole.upper}, {{}, x.upper}) && plain(hole.lower)) {
    return Intersect(x, OnlyUpper({hole.lower.front().numerator - 1, 1}));
  }
  return x;
}

}  // namespace

Interval WholeExtent(const LinearForm& extent) {
  return {{{LinearForm::Constant(0), 1}}, {{extent - 1, 1}}};
}

Box WholeArray(const Array& array) {
  Box box;
  for (const LinearForm& extent : array.extents) box.push_back(WholeExtent(extent));
  return box;
}

Interval IndexValues(const Operator& op, const Index& index) {
  if (index.place.Valid()) return {};  // any
  if (index.iterator < 0) return Single(index.offset);
  const auto it = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
  return ImageOf(index, op.domain.intervals[static_cast<std::size_t>(it - op.iterators.begin())]);
}

Box WrittenBox(const Operator& op) {
  Box box;
  for (const Index& index : op.target) box.push_back(IndexValues(op, index));
  return box;
}

bool WalksBox(const std::vector<Index>& target) {
  std::set<int> seen;
  for (const Index& index : target) {
    if (index.iterator < 0) continue;
    if (index.coefficient != 1 && index.coefficient != -1) return false;
    if (!seen.insert(index.iterator).second) return false;
  }
  return true;
}

bool WritesWholeBox(const Operator& op) {
  // One without points leaves its identity.
  if (op.reduction) return IsWhole(*op.reduction);
  return WalksBox(op.target) &&
         std::all_of(op.domain.guards.begin(), op.domain.guards.end(), AlwaysNonNegative);
}

Box ReadBox(const Operator& op, const Access& access, const Array& array) {
  Box box = WholeArray(array);
  for (std::size_t d = 0; d < box.size(); ++d) {
    const Interval image = IndexValues(op, access.indices[d]);
    const bool wraps = !access.boundary.empty() && access.boundary[d].kind != BoundaryKind::None;
    if (!wraps || AlwaysContains(box[d], image)) box[d] = Intersect(box[d], image);
  }
  return box;
}

Interval Hull(const Interval& a, const Interval& b, const Interval& limit) {
  Interval hull;
  for (const std::vector<Bound>* bounds : {&a.lower, &b.lower}) {
    for (const Bound& bound : *bounds) {
      const Interval outer = OnlyLower(bound);
      if (AlwaysContains(outer, {a.lower, {}}) && AlwaysContains(outer, {b.lower, {}})) {
        AddLower(hull, bound);
      }
    }
  }
  for (const std::vector<Bound>* bounds : {&a.upper, &b.upper}) {
    for (const Bound& bound : *bounds) {
      const Interval outer = OnlyUpper(bound);
      if (AlwaysContains(outer, {{}, a.upper}) && AlwaysContains(outer, {{}, b.upper})) {
        AddUpper(hull, bound);
      }
    }
  }
  if (hull.lower.empty()) hull.lower = limit.lower;
  if (hull.upper.empty()) hull.upper = limit.upper;
  return hull;
}

std::vector<Box> Remainder(const Box& box, const Box& hole) {
  std::vector<std::size_t> open;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (AlwaysEmpty(box[d])) return {};
    if (!AlwaysContains(hole[d], box[d])) open.push_back(d);
  }
  if (open.empty()) return {};
  Box rest = box;
  // With two open dimensions what is left is not smaller than the box in any direction.
  if (open.size() == 1) rest[open[0]] = Shortened(box[open[0]], hole[open[0]]);
  return {rest};
}

}  // namespace stencilgen::graph
