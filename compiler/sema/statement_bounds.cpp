#include "sema/statement_bounds.h"

#include <algorithm>

#include "graph/regions.h"

namespace stencilgen::sema {
namespace {

/// The left side as written: with the offsets that ResolveTarget removed.
std::vector<graph::Index> SourceTarget(const Statement& s) {
  std::vector<graph::Index> target = s.target;
  for (graph::Index& index : target) {
    if (index.iterator < 0) continue;
    index.offset =
        index.offset + s.shift[static_cast<std::size_t>(index.iterator)] * index.coefficient;
  }
  return target;
}

/// The iterators of the left side, ascending.
std::vector<int> TargetIterators(const Statement& s) {
  if (s.kind == TargetKind::Reduction) return s.iterators;
  std::vector<int> iterators;
  for (const graph::Index& index : s.target) {
    if (index.iterator >= 0) iterators.push_back(index.iterator);
  }
  std::sort(iterators.begin(), iterators.end());
  iterators.erase(std::unique(iterators.begin(), iterators.end()), iterators.end());
  return iterators;
}

/// Keeps the points inside the domain and gives it by program iterator; empty (and reported) where
/// it does not fit the statement.
std::optional<std::vector<graph::Interval>> ConstrainByDomain(Context& context,
                                                              const ResolvedDomain& domain,
                                                              Statement& s) {
  auto spread = SpreadDomain(context, domain, TargetIterators(s));
  if (!spread) return std::nullopt;
  if (s.kind == TargetKind::Array) {
    CheckDomainInside(context, domain, *spread, context.graph.arrays[s.array], SourceTarget(s));
  }
  for (std::size_t d = 0; d < spread->size(); ++d) {
    const graph::Index source_iterator{static_cast<int>(d), 1, s.shift[d] * -1};
    Constrain(s.bounds, source_iterator, (*spread)[d]);
  }
  return spread;
}

/// A call's domain that does not fit a local scalar is for the arrays of the call.
bool AppliesTo(const Context& context, const ResolvedDomain& call_domain, const Statement& s) {
  return s.kind != TargetKind::LocalScalar ||
         static_cast<int>(call_domain.ranges.size()) == context.IteratorCount();
}

}  // namespace

void SetBounds(Context& context, const Resolver& resolve,
               const std::optional<ResolvedDomain>& call_domain, Statement& s) {
  s.bounds = Everywhere(context.IteratorCount());
  if (s.kind == TargetKind::ProgramScalar) return;
  std::optional<ResolvedDomain> own;
  if (s.source->domain != nullptr) own = ResolveDomain(context, resolve, *s.source->domain);
  if (call_domain && AppliesTo(context, *call_domain, s)) {
    ConstrainByDomain(context, *call_domain, s);
  }
  if (own) s.own_domain = ConstrainByDomain(context, *own, s);
  if (s.kind == TargetKind::Reduction) return;
  for (std::size_t d = 0; d < s.target.size(); ++d) {
    Constrain(s.bounds, s.target[d], graph::WholeExtent(context.graph.arrays[s.array].extents[d]));
  }
}

}  // namespace stencilgen::sema
