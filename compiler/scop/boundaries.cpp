#include "scop/boundaries.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <isl/map.h>

namespace stencilgen::scop {
namespace {

/// What an element beyond the edges is, by mode: `{x}` is the subscript, `{n}` the extent.
struct Rule {
  ast::BoundaryKind kind;
  const char* text;
};
constexpr Rule kRules[] = {
    {ast::BoundaryKind::Wrap,
     "0 <= v < {n} and (v = {x} or v = {x} + ({n}) or v = {x} - ({n}) or v = {x} + 2*({n}) or "
     "v = {x} - 2*({n}))"},
    {ast::BoundaryKind::Clamp,
     "(v = {x} and 0 <= {x} < {n}) or (v = 0 and {x} < 0) or (v = {n} - 1 and {x} >= {n})"},
    {ast::BoundaryKind::Mirror,
     "(v = {x} and 0 <= {x} < {n}) or (v = -1 - {x} and {x} < 0) or "
     "(v = 2*({n}) - 1 - {x} and {x} >= {n})"},
    {ast::BoundaryKind::Mirror101,
     "(v = {x} and 0 <= {x} < {n}) or (v = -{x} and {x} < 0) or "
     "(v = 2*({n}) - 2 - {x} and {x} >= {n})"}};

constexpr std::int64_t kMostShift = 8;

/// The rule for a subscript, as a map from coordinates.
isl::map RuleFor(const Model& model, const Rule& rule, const Linear& inner, const Linear& extent) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < inner.dims.size(); ++k) names.push_back(fmt::format("e{}", k));
  const std::string text =
      fmt::format(fmt::runtime(rule.text), fmt::arg("x", IslText(inner, names)),
                  fmt::arg("n", IslText(extent, {})));
  return model.Map(fmt::format("{{ [{}] -> [v] : {} }}", Tuple(inner.dims.size(), 'e'), text));
}

}  // namespace

std::optional<EdgeSubscript> FindEdgeSubscript(const Model& model, const isl::map& map,
                                               std::size_t d, const Linear& extent) {
  const auto size = static_cast<std::size_t>(isl_map_dim(map.get(), isl_dim_in));
  const isl::map one = OneOutput(map, d);
  // A remainder by a number is one case with a quotient: shifts of each coordinate are tried.
  std::vector<Linear> candidates = CasesOf(OutputOf(map, d));
  for (std::size_t k = 0; k < size; ++k) {
    for (std::int64_t shift = -kMostShift; shift <= kMostShift; ++shift) {
      Linear inner = Number(shift);
      inner.dims.resize(size);
      inner.dims[k] = 1;
      candidates.push_back(std::move(inner));
    }
  }
  // `i - 2` is near, where `i + n - 2` is the same element.
  std::stable_sort(candidates.begin(), candidates.end(), [](const Linear& a, const Linear& b) {
    return std::pair(a.symbols.size(), std::abs(a.constant)) <
           std::pair(b.symbols.size(), std::abs(b.constant));
  });
  for (const Linear& inner : candidates) {
    const auto moving = std::count_if(inner.dims.begin(), inner.dims.end(),
                                      [](std::int64_t factor) { return factor != 0; });
    if (moving != 1) continue;
    for (const Rule& rule : kRules) {
      if (one.is_subset(RuleFor(model, rule, inner, extent)))
        return EdgeSubscript{inner, rule.kind};
    }
  }
  return std::nullopt;
}

isl::map WithoutDivisions(const Model& model, const isl::map& map, const EdgeSubscript& subscript,
                          const Linear& extent) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& each) { return each.kind == subscript.kind; });
  return RuleFor(model, *rule, subscript.inner, extent).intersect_domain(map.domain());
}

}  // namespace stencilgen::scop
