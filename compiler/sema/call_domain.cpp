#include "sema/call_domain.h"

#include "support/count_text.h"

namespace stencilgen::sema {
namespace {

constexpr DiagnosticKind<> kEmptyDomain{"empty-domain", Severity::Warning,
                                        "this range is empty, the statement computes nothing"};
constexpr DiagnosticKind<std::string, std::string> kDomainRank{
    "domain-rank", Severity::Error, "this domain has {}, but the statement iterates over {}"};
constexpr DiagnosticKind<std::string_view> kDomainOutside{"domain-outside", Severity::Error,
                                                          "this domain reaches outside array '{}'"};

}  // namespace

std::optional<ResolvedDomain> ResolveDomain(Context& context, const Resolver& resolve,
                                            const ast::DomainSpec& spec) {
  ResolvedDomain domain{{}, {}, spec.span};
  bool ok = true;
  for (const ast::Range& range : spec.ranges) {
    const auto lo = ToLinear(context, resolve, range.lo, "a domain bound");
    const auto hi = ToLinear(context, resolve, range.hi, "a domain bound");
    const Span span = Cover(context.ast.exprs[range.lo].span, context.ast.exprs[range.hi].span);
    if (!lo || !hi) {
      ok = false;
      continue;
    }
    if (AlwaysNegative(*hi - *lo)) context.sink.Report(span, kEmptyDomain);
    domain.ranges.push_back({{{*lo, 1}}, {{*hi, 1}}});
    domain.spans.push_back(span);
  }
  if (!ok) return std::nullopt;
  return domain;
}

std::optional<std::vector<graph::Interval>> SpreadDomain(Context& context,
                                                         const ResolvedDomain& domain,
                                                         const std::vector<int>& iterators) {
  const auto count = static_cast<std::size_t>(context.IteratorCount());
  if (domain.ranges.size() == count) return domain.ranges;
  std::vector<graph::Interval> spread(count);
  if (domain.ranges.size() != iterators.size()) {
    context.sink.Report(domain.span, kDomainRank, CountText(domain.ranges.size(), "range"),
                        CountText(iterators.empty() ? count : iterators.size(), "iterator"));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    spread[static_cast<std::size_t>(iterators[i])] = domain.ranges[i];
  }
  return spread;
}

void CheckDomainInside(Context& context, const ResolvedDomain& domain,
                       const std::vector<graph::Interval>& spread, const graph::Array& array,
                       const std::vector<graph::Index>& target) {
  for (std::size_t d = 0; d < target.size(); ++d) {
    if (target[d].coefficient != 1) continue;
    const graph::Interval& range = spread[static_cast<std::size_t>(target[d].iterator)];
    if (range.lower.empty()) continue;
    const graph::LinearForm lo = range.lower[0].numerator + target[d].offset;
    const graph::LinearForm hi = range.upper[0].numerator + target[d].offset;
    if (AlwaysNegative(hi - lo)) continue;  // empty: said already
    if (AlwaysNegative(lo) || AlwaysNegative(array.extents[d] - 1 - hi)) {
      context.sink.Report(domain.span, kDomainOutside, array.name)
          .Note(array.span, "declared here")
          .Hint("bounds are inclusive: the last element of a dimension of extent M is M-1");
      return;
    }
  }
}

}  // namespace stencilgen::sema
