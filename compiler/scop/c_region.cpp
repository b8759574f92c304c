#include "scop/c_region.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stencilgen::scop {

ExprId AddExpr(Region& region, Expr expr) {
  return region.exprs.Add(std::move(expr));
}

std::string FreeName(const Region& region, const std::string& base) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(region.variables.begin(), region.variables.end(),
                       [&](const Variable& variable) { return variable.name == name; });
  };
  std::string name = base;
  for (int k = 2; taken(name); ++k) name = fmt::format("{}_{}", base, k);
  return name;
}

}  // namespace stencilgen::scop
