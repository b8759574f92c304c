#include "lower/band_space.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/domain_bounds.h"
#include "lower/index_math.h"

namespace stencilgen::lower {

using kernel::Expr;
using kernel::Number;

BandSpace::BandSpace(const ProgramModel& model, const plan::Repeat& repeat)
    : model_(model),
      band_(*repeat.band),
      lead_(plan::LeadOf(model.plan(), band_)),
      shape_(plan::ShapeOf(model.plan(), repeat)) {}

std::string BandSpace::IteratorName(std::size_t n) const {
  return model_.graph().iterators[static_cast<std::size_t>(Iterators()[n])];
}

std::vector<std::string> BandSpace::WrapComments() const {
  std::vector<std::string> lines;
  if (GoesAround(0)) {
    lines.push_back(fmt::format(
        "Arrays wrap around: tiles close a ring, since the last {} is the first one's neighbour.",
        IteratorName(0)));
  }
  if (GoesAround(1)) {
    lines.push_back(
        fmt::format("Strips of {} begin further right each turn, and go around.", IteratorName(1)));
  }
  return lines;
}

const graph::Interval& BandSpace::IntervalOf(plan::KernelId id, std::size_t n) const {
  const graph::Operator& op = model_.OperatorOf(id);
  const auto at = std::find(op.iterators.begin(), op.iterators.end(), Iterators()[n]);
  return op.domain.intervals[static_cast<std::size_t>(at - op.iterators.begin())];
}

Expr BandSpace::LoOf(plan::KernelId id, std::size_t n) const {
  if (const auto& place = shape_.places.at(id)[n]) return Form(*place);
  return LowerOf(IntervalOf(id, n), [&](const graph::LinearForm& form) { return Form(form); });
}

Expr BandSpace::HiOf(plan::KernelId id, std::size_t n) const {
  if (const auto& place = shape_.places.at(id)[n]) return Form(*place);
  return UpperOf(IntervalOf(id, n), [&](const graph::LinearForm& form) { return Form(form); });
}

Expr BandSpace::Length(plan::KernelId id, std::size_t n) const {
  return HiOf(id, n) - LoOf(id, n) + Number(1);
}

Expr BandSpace::FirstOf(std::size_t n) const {
  if (GoesAround(n)) return Number(0);
  std::vector<Expr> all;
  for (const plan::KernelId id : band_.launches) all.push_back(LoOf(id, n));
  return Least(std::move(all));
}

Expr BandSpace::LastOf(std::size_t n) const {
  if (GoesAround(n)) return Form(*shape_.around[n]) - Number(1);
  std::vector<Expr> all;
  for (const plan::KernelId id : band_.launches) all.push_back(HiOf(id, n));
  return Largest(std::move(all));
}

Expr BandSpace::Places(std::size_t n) const {
  return GoesAround(n) ? Form(*shape_.around[n]) : LastOf(n) - FirstOf(n) + Number(1);
}

BandSpace::Ends BandSpace::WantedEnds(std::size_t m, std::size_t n, const Expr& turns_left) const {
  const auto at =
      std::find_if(band_.ends.begin(), band_.ends.end(),
                   [&](const plan::BandEnds& ends) { return ends.iterator == Iterators()[n]; });
  if (at == band_.ends.end()) return {};
  const Expr margin = Number(at->turn) * turns_left + Number(at->after[m]);
  return {{Form(at->first) - margin}, {Form(at->end) - Number(1) + margin}};
}

bool BandSpace::Uses(graph::ParameterId id) const {
  const auto uses = [&](const graph::LinearForm& form) {
    return std::any_of(form.terms.begin(), form.terms.end(),
                       [&](const auto& term) { return term.first == id; });
  };
  const auto bounds_use = [&](const std::vector<graph::Bound>& bounds) {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](const graph::Bound& bound) { return uses(bound.numerator); });
  };
  const auto any_uses = [&](const auto& forms) {
    return std::any_of(forms.begin(), forms.end(),
                       [&](const auto& form) { return form && uses(*form); });
  };
  if (any_uses(shape_.around)) return true;
  for (const plan::BandEnds& ends : band_.ends) {
    if (uses(ends.first) || uses(ends.end)) return true;
  }
  return std::any_of(band_.launches.begin(), band_.launches.end(), [&](plan::KernelId kernel) {
    if (any_uses(shape_.places.at(kernel))) return true;
    const graph::Domain& domain = model_.OperatorOf(kernel).domain;
    return std::any_of(domain.intervals.begin(), domain.intervals.end(),
                       [&](const graph::Interval& interval) {
                         return bounds_use(interval.lower) || bounds_use(interval.upper);
                       });
  });
}

}  // namespace stencilgen::lower
