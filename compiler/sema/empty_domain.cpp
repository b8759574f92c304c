#include "sema/empty_domain.h"

#include <algorithm>
#include <set>

namespace stencilgen::sema {
namespace {

using graph::Bound;
using graph::Interval;
using graph::LinearForm;

constexpr DiagnosticKind<std::string_view> kNoPoints{"no-points", Severity::Warning,
                                                     "with {} this statement computes nothing"};

/// The limit of each end of an iterator's range, by index; of several alike the first.
struct Ends {
  std::optional<std::int64_t> first, last;
  std::size_t first_by = 0;
  std::size_t last_by = 0;
  bool Crossed() const { return first && last && *first > *last; }
};

Ends FindEnds(const NamedSizes& sizes, const std::vector<Limit>& limits, std::size_t iterator) {
  Ends ends;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Interval& interval = limits[i].points.intervals[iterator];
    const auto first = sizes.First(interval);
    const auto last = sizes.Last(interval);
    if (first && (!ends.first || *first > *ends.first)) {
      ends.first = first;
      ends.first_by = i;
    }
    if (last && (!ends.last || *last < *ends.last)) {
      ends.last = last;
      ends.last_by = i;
    }
  }
  return ends;
}

std::string Reason(const Limit& limit, const std::string& condition) {
  switch (limit.kind) {
    case Limit::Kind::Given:
      return fmt::format("it is about points with {}", condition);
    case Limit::Kind::Read:
      return fmt::format("this element of '{}' exists where {}", limit.name, condition);
    case Limit::Kind::Local:
      return fmt::format("'{}' is computed where {}", limit.name, condition);
  }
  return "";
}

/// What a guard says: elements at fixed places.
std::string MissingElement(const Limit& limit) {
  return limit.kind == Limit::Kind::Read
             ? fmt::format("this element of '{}' does not exist", limit.name)
             : "this depends on an element that does not exist";
}

/// True where the limit has been reported by itself.
bool IsKnown(const NamedSizes& sizes, const Limit& limit) {
  if (limit.kind == Limit::Kind::Given) {
    return std::any_of(limit.points.intervals.begin(), limit.points.intervals.end(),
                       graph::AlwaysEmpty);
  }
  return limit.kind == Limit::Kind::Local && sizes.IsEmpty(limit.points);
}

}  // namespace

NamedSizes::NamedSizes(const graph::Graph& graph) : graph_(graph) {
  for (const graph::Parameter& parameter : graph.parameters) {
    const auto value = parameter.fixed ? parameter.fixed : parameter.default_value;
    known_.push_back(value.has_value());
    values_.push_back(value.value_or(1));
  }
}

std::optional<std::int64_t> NamedSizes::Value(const LinearForm& form) const {
  if (!Known(form)) return std::nullopt;
  return Evaluate(form, values_);
}

bool NamedSizes::Known(const LinearForm& form) const {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return known_[term.first.index]; });
}

std::optional<std::int64_t> NamedSizes::First(const Interval& interval) const {
  std::optional<std::int64_t> first;
  for (const Bound& bound : interval.lower) {
    if (!Known(bound.numerator)) continue;  // it can only take more points
    const std::int64_t value = graph::CeilDiv(Evaluate(bound.numerator, values_), bound.divisor);
    first = std::max(first.value_or(value), value);
  }
  return first;
}

std::optional<std::int64_t> NamedSizes::Last(const Interval& interval) const {
  std::optional<std::int64_t> last;
  for (const Bound& bound : interval.upper) {
    if (!Known(bound.numerator)) continue;  // it can only take more points
    const std::int64_t value = graph::FloorDiv(Evaluate(bound.numerator, values_), bound.divisor);
    last = std::min(last.value_or(value), value);
  }
  return last;
}

bool NamedSizes::IsEmpty(const PointSet& points) const {
  const auto missing = [&](const LinearForm& guard) {
    return Known(guard) && Evaluate(guard, values_) < 0;
  };
  const auto crossed = [&](const Interval& interval) {
    const auto first = First(interval);
    const auto last = Last(interval);
    return first && last && *first > *last;
  };
  return std::any_of(points.guards.begin(), points.guards.end(), missing) ||
         std::any_of(points.intervals.begin(), points.intervals.end(), crossed);
}

std::string NamedSizes::Text(const std::vector<PointSet>& sets) const {
  std::set<graph::ParameterId> used;
  const auto add = [&](const LinearForm& form) {
    for (const auto& [parameter, factor] : form.terms) {
      if (known_[parameter.index]) used.insert(parameter);
    }
  };
  for (const PointSet& set : sets) {
    std::for_each(set.guards.begin(), set.guards.end(), add);
    for (const Interval& interval : set.intervals) {
      for (const Bound& bound : interval.lower) add(bound.numerator);
      for (const Bound& bound : interval.upper) add(bound.numerator);
    }
  }
  std::string text;
  for (const graph::ParameterId id : used) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", graph_.parameters[id].name,
                        values_[id.index]);
  }
  return text;
}

void WarnEmptyDomain(Context& context, const NamedSizes& sizes, Span span,
                     const std::vector<Limit>& limits) {
  if (context.sink.HasErrors()) return;  // what they are about may be why
  std::vector<PointSet> sets;
  for (const Limit& limit : limits) {
    if (IsKnown(sizes, limit)) return;
    sets.push_back(limit.points);
  }
  const std::string text = sizes.Text(sets);
  auto report =
      context.sink.Report(span, kNoPoints, text.empty() ? std::string("these sizes") : text);
  for (const Limit& limit : limits) {
    const PointSet fixed{{}, limit.points.guards};
    if (!sizes.IsEmpty(fixed)) continue;
    report.Note(limit.span, MissingElement(limit));
    return;
  }
  for (std::size_t d = 0; d < context.graph.iterators.size(); ++d) {
    const Ends ends = FindEnds(sizes, limits, d);
    if (!ends.Crossed()) continue;
    const std::string& iterator = context.graph.iterators[d];
    const Limit& first = limits[ends.first_by];
    const Limit& last = limits[ends.last_by];
    report.Note(first.span, Reason(first, fmt::format("{} >= {}", iterator, *ends.first)));
    report.Note(last.span, Reason(last, fmt::format("{} <= {}", iterator, *ends.last)));
    return;
  }
}

}  // namespace stencilgen::sema
