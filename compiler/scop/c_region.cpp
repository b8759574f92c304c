#include "scop/c_region.h"

#include <utility>

namespace stencilgen::scop {

ExprId AddExpr(Region& region, Expr expr) {
  return region.exprs.Add(std::move(expr));
}

}  // namespace stencilgen::scop
