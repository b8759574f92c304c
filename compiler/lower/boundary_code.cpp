#include "lower/boundary_code.h"

#include <algorithm>

#include "support/check.h"

namespace stencilgen::lower {

using graph::BoundaryKind;
using kernel::Expr;

kernel::Routine BoundaryRoutine(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::Clamp:
    case BoundaryKind::Constant:
      return kernel::Routine::ClampIndex;
    case BoundaryKind::Mirror:
      return kernel::Routine::MirrorIndex;
    case BoundaryKind::Mirror101:
      return kernel::Routine::Mirror101Index;
    case BoundaryKind::Wrap:
      return kernel::Routine::WrapIndex;
    case BoundaryKind::None:
      break;
  }
  STENCILGEN_CHECK(!"a boundary mode");
  return kernel::Routine::ClampIndex;
}

Expr Guarded(Expr element, const std::vector<Guard>& guards) {
  const kernel::Type type = element.type();
  for (std::size_t end = guards.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && guards[begin - 1].otherwise == guards[begin].otherwise) --begin;
    std::vector<Expr> conditions;
    for (std::size_t k = begin; k < end; ++k) conditions.push_back(guards[k].condition);
    element = kernel::Choose(kernel::And(conditions), element,
                             kernel::Constant(type, guards[begin].otherwise));
    end = begin;
  }
  return element;
}

bool HasElements(const graph::Array& array) {
  return std::all_of(array.extents.begin(), array.extents.end(),
                     [](const auto& extent) { return graph::AlwaysNonNegative(extent - 1); });
}

}  // namespace stencilgen::lower
