#pragma once

#include <optional>
#include <vector>

#include "sema/affine.h"
#include "sema/context.h"

namespace stencilgen::sema {

/// A written domain with its bounds resolved: ranges in source order.
struct ResolvedDomain {
  std::vector<graph::Interval> ranges;
  std::vector<Span> spans;
  Span span;
};

/// Resolves the bounds; reports what is not a bound, and `empty-domain` (warning) for a range that
/// is certainly empty. Empty where an error was reported.
std::optional<ResolvedDomain> ResolveDomain(Context& context, const Resolver& resolve,
                                            const ast::DomainSpec& spec);

/// The domain by program iterator for a statement that iterates over `iterators` (ascending): one
/// range an iterator of the program, or one an iterator of the statement. Reports `domain-rank` and
/// gives empty otherwise.
std::optional<std::vector<graph::Interval>> SpreadDomain(Context& context,
                                                         const ResolvedDomain& domain,
                                                         const std::vector<int>& iterators);

/// Reports `domain-outside` where a range certainly reaches beyond the array written. `target` is
/// the left side with source iterators.
void CheckDomainInside(Context& context, const ResolvedDomain& domain,
                       const std::vector<graph::Interval>& spread, const graph::Array& array,
                       const std::vector<graph::Index>& target);

}  // namespace stencilgen::sema
